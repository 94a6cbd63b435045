<?php

declare(strict_types=1);

namespace Libpayments\Journal;

/**
 * How many entries were created before a moment, and their outcomes.
 */
final class Pruned
{
    /** Whether they were only counted. */
    public readonly bool $dryRun;
    /** Entries that were `done` and are deleted. */
    public readonly int $done;
    /** Entries that were `failed` and are deleted. */
    public readonly int $failed;
    /** Entries that are open, and stay. */
    public readonly int $open;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        $this->dryRun = $members['dry_run'];
        $this->done = $members['done'];
        $this->failed = $members['failed'];
        $this->open = $members['open'];
    }
}
