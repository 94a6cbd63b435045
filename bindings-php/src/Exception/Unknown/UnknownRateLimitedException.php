<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\RateLimitedException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `rate_limited` with the outcome `unknown`.
 */
final class UnknownRateLimitedException extends RateLimitedException implements UnknownOutcome
{
}
