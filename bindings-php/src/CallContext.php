<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * The call that a callback runs for.
 */
final class CallContext
{
    use ReadByMethods;

    /** Milliseconds of a monotonic clock. */
    private float $ends;

    /** @internal */
    public function __construct(int $remainingMs)
    {
        $this->ends = hrtime(true) / 1e6 + $remainingMs;
    }

    /** The milliseconds until the call's deadline. Use them to limit requests that the callback makes. */
    public function remainingMs(): int
    {
        return max(0, (int) ($this->ends - hrtime(true) / 1e6));
    }

    /** Whether the call's deadline has passed. A callback that waits must fail then. */
    public function hasEnded(): bool
    {
        return $this->remainingMs() === 0;
    }
}
