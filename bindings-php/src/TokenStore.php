<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Keeps bearer tokens for several processes or hosts.
 *
 * `$key` identifies the entry: 64 hexadecimal digits. Entries are JSON texts
 * that contain a token: treat them as secrets.
 *
 * If a method throws `StoreUnavailable`, the store is bypassed: the call
 * continues with a token in memory, and the observer gets an event. Any other
 * exception ends the call.
 */
interface TokenStore
{
    /** Returns the entry, or null if there is none. */
    public function load(string $key, CallContext $context): ?string;

    /** Saves the entry unless one with a larger fence is saved. Returns whether it was saved. */
    public function save(string $key, string $entry, int $fence, CallContext $context): bool;

    /**
     * Removes the token from the entry if it is `$token`, atomically, and keeps
     * the rest: `TokenEntry::withoutToken()` returns it. Returns whether the
     * token was removed.
     */
    public function deleteIf(string $key, string $token, CallContext $context): bool;

    /**
     * Takes the lock of the entry for at most 15 s, or returns null at once if
     * someone else holds it. The result is the fence: a number larger than that
     * of every earlier lock.
     */
    public function tryLock(string $key, CallContext $context): ?int;

    /** Releases the lock, unless it expired and someone else holds it. */
    public function unlock(string $key, int $fence): void;
}
