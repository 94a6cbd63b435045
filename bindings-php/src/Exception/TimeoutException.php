<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `timeout`: the deadline passed.
 */
class TimeoutException extends PaymentsException
{
}
