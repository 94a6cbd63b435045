<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `timeout`: the deadline passed.
 */
class TimeoutException extends PaymentsException
{
}
