<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallContext;
use Libpayments\TokenEntry;
use Libpayments\TokenStore;

/**
 * A token store in an array.
 */
final class MemoryStore implements TokenStore
{
    /** @var array<string, string> */
    public array $entries = [];
    /** @var list<string> the methods that were called */
    public array $calls = [];
    private int $fence = 0;
    private ?int $locked = null;
    private int $savedWith = 0;

    public function load(string $key, CallContext $context): ?string
    {
        $this->calls[] = 'load';
        return $this->entries[$key] ?? null;
    }

    public function save(string $key, string $entry, int $fence, CallContext $context): bool
    {
        $this->calls[] = 'save';
        if ($fence < $this->savedWith) {
            return false;
        }
        $this->savedWith = $fence;
        $this->entries[$key] = $entry;
        return true;
    }

    public function deleteIf(string $key, string $token, CallContext $context): bool
    {
        $this->calls[] = 'deleteIf';
        $left = TokenEntry::withoutToken($this->entries[$key] ?? '{}', $token);
        if ($left === null) {
            return false;
        }
        $this->entries[$key] = $left;
        return true;
    }

    public function tryLock(string $key, CallContext $context): ?int
    {
        $this->calls[] = 'tryLock';
        return $this->locked === null ? $this->locked = ++$this->fence : null;
    }

    public function unlock(string $key, int $fence): void
    {
        $this->calls[] = 'unlock';
        if ($this->locked === $fence) {
            $this->locked = null;
        }
    }
}
