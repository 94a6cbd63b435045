<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\ValidationException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `validation` with the outcome `unknown`.
 */
final class UnknownValidationException extends ValidationException implements UnknownOutcome
{
}
