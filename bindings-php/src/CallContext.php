<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What a callback sees of the call that it serves.
 */
final class CallContext
{
    /** Milliseconds of a clock that nobody sets. */
    private float $ends;

    /** @internal */
    public function __construct(int $remainingMs)
    {
        $this->ends = hrtime(true) / 1e6 + $remainingMs;
    }

    /** How many milliseconds the call has left: a limit for what the callback asks of others. */
    public function remainingMs(): int
    {
        return max(0, (int) ($this->ends - hrtime(true) / 1e6));
    }

    /** Whether the call's time is over. A callback that waits fails then. */
    public function hasEnded(): bool
    {
        return $this->remainingMs() === 0;
    }
}
