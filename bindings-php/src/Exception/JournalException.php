<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `journal`: the journal refused the call, or does not work. `getJournalEntry()`
 * says which earlier call refused it.
 */
class JournalException extends PaymentsException
{
}
