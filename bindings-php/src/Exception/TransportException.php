<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `transport`: the connection broke.
 */
class TransportException extends PaymentsException
{
}
