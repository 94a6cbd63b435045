<?php

declare(strict_types=1);

namespace Libpayments\Journal;

/**
 * An entry that stays open after a recovery.
 */
final class OpenEntry
{
    /** The entry. */
    public readonly Entry $entry;
    /** The next step that it needs: `time`, `query` or `person`. */
    public readonly string $needs;
    /** Why, in one sentence. */
    public readonly string $reason;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        $this->needs = $members['needs'];
        $this->reason = $members['reason'];
        $this->entry = new Entry(['needs' => $this->needs] + $members['entry']);
    }
}
