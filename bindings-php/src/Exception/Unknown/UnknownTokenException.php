<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\TokenException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `token` with the outcome `unknown`.
 */
final class UnknownTokenException extends TokenException implements UnknownOutcome
{
}
