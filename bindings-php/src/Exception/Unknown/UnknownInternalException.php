<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\InternalException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `internal` with the outcome `unknown`.
 */
final class UnknownInternalException extends InternalException implements UnknownOutcome
{
}
