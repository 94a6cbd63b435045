<?php

// Generated from spec/errors by generate/templates/OutcomeException.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception\Executed;

use Libpayments\Exception\CancelledException;
use Libpayments\Exception\ExecutedOutcome;

/**
 * Kind `cancelled` with the outcome `executed`.
 */
final class ExecutedCancelledException extends CancelledException implements ExecutedOutcome
{
}
