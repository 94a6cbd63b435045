<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\TooLargeException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `too_large` with the outcome `unknown`.
 */
final class UnknownTooLargeException extends TooLargeException implements UnknownOutcome
{
}
