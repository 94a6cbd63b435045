<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\SigningException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `signing` with the outcome `unknown`.
 */
final class UnknownSigningException extends SigningException implements UnknownOutcome
{
}
