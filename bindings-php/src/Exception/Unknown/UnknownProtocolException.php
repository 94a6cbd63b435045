<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Unknown;

use Libpayments\Exception\ProtocolException;
use Libpayments\Exception\UnknownOutcome;

/**
 * Kind `protocol` with the outcome `unknown`.
 */
final class UnknownProtocolException extends ProtocolException implements UnknownOutcome
{
}
