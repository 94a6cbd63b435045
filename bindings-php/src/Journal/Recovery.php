<?php

declare(strict_types=1);

namespace Libpayments\Journal;

/**
 * The result of a recovery.
 */
final class Recovery
{
    /** @var list<Entry> entries whose outcome a query found */
    public readonly array $recovered;
    /** @var list<OpenEntry> entries that stay open */
    public readonly array $open;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        $this->recovered = array_map(static fn (array $entry): Entry => new Entry($entry), $members['recovered']);
        $this->open = array_map(static fn (array $open): OpenEntry => new OpenEntry($open), $members['open']);
    }
}
