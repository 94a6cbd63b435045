<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallContext;
use Libpayments\TokenStore;

/**
 * A store that lets other fibers run before it returns.
 */
final class SuspendingStore implements TokenStore
{
    /** @var array<string, string> */
    private array $entries = [];

    public function load(string $key, CallContext $context): ?string
    {
        \Fiber::suspend();
        return $this->entries[$key] ?? null;
    }

    public function save(string $key, #[\SensitiveParameter] string $entry, int $fence, CallContext $context): bool
    {
        \Fiber::suspend();
        $this->entries[$key] = $entry;
        return true;
    }

    public function deleteIf(string $key, #[\SensitiveParameter] string $token, CallContext $context): bool
    {
        unset($this->entries[$key]);
        return true;
    }

    public function tryLock(string $key, CallContext $context): ?int
    {
        \Fiber::suspend();
        return 1;
    }

    public function unlock(string $key, int $fence): void
    {
        \Fiber::suspend();
    }
}
