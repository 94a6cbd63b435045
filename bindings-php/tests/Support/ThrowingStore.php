<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallContext;
use Libpayments\TokenStore;

/**
 * A token store with one method that throws, and that keeps the token it was
 * given.
 */
final class ThrowingStore implements TokenStore
{
    public ?string $token = null;
    private MemoryStore $inner;

    /** @param 'save'|'deleteIf' $method */
    public function __construct(private string $method)
    {
        $this->inner = new MemoryStore();
    }

    public function load(string $key, CallContext $context): ?string
    {
        return $this->inner->load($key, $context);
    }

    public function save(string $key, string $entry, int $fence, CallContext $context): bool
    {
        if ($this->method === 'save') {
            $this->token = json_decode($entry, true)['token']['value'];
            throw new \LogicException("of $this->method");
        }
        return $this->inner->save($key, $entry, $fence, $context);
    }

    public function deleteIf(string $key, string $token, CallContext $context): bool
    {
        if ($this->method === 'deleteIf') {
            $this->token = $token;
            throw new \LogicException("of $this->method");
        }
        return $this->inner->deleteIf($key, $token, $context);
    }

    public function tryLock(string $key, CallContext $context): ?int
    {
        return $this->inner->tryLock($key, $context);
    }

    public function unlock(string $key, int $fence): void
    {
        $this->inner->unlock($key, $fence);
    }
}
