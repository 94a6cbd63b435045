<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `journal`: the journal refused the call, or does not work. `getJournalEntry()`
 * says which earlier call refused it.
 */
class JournalException extends PaymentsException
{
}
