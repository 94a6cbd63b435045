<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `connect`: no connection could be made.
 */
class ConnectException extends PaymentsException
{
}
