<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\CancelledException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `cancelled` with the outcome `unknown`.
 */
final class UnknownCancelledException extends CancelledException implements UnknownOutcome
{
}
