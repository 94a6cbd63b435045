<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\TimeoutException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `timeout` with the outcome `unknown`.
 */
final class UnknownTimeoutException extends TimeoutException implements UnknownOutcome
{
}
