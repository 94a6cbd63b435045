<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Keeps bearer tokens for several processes or hosts.
 *
 * `$key` is a text of 64 hexadecimal digits that names the entry. Entries are
 * JSON texts that hold a token: treat them as secrets.
 *
 * A method that throws `StoreUnavailable` is passed over: the call goes on
 * with a token in memory, and the observer is told. Anything else that it
 * throws becomes the call's error.
 */
interface TokenStore
{
    /** The entry, or null when there is none. */
    public function load(string $key, CallContext $context): ?string;

    /** Keeps the entry, unless one was saved with a larger fence; tells whether it did. */
    public function save(string $key, string $entry, int $fence, CallContext $context): bool;

    /**
     * Removes the token of the entry if it is `$token`, and leaves the rest:
     * `TokenEntry::withoutToken()` tells what to keep. Nobody else may change
     * the entry meanwhile. Tells whether it was removed.
     */
    public function deleteIf(string $key, string $token, CallContext $context): bool;

    /**
     * Takes the lock of the entry, for 15 s at the most, or gives null at once
     * when somebody else has it. The answer is the fence: a number larger than
     * that of every earlier lock.
     */
    public function tryLock(string $key, CallContext $context): ?int;

    /** Gives the lock back, unless it lapsed and somebody else has it. */
    public function unlock(string $key, int $fence): void;
}
