<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallContext;
use Libpayments\TokenStore;

/**
 * A token store whose methods all throw.
 */
final class BrokenStore implements TokenStore
{
    public function __construct(private \Throwable $thrown)
    {
    }

    public function load(string $key, CallContext $context): ?string
    {
        throw $this->thrown;
    }

    public function save(string $key, string $entry, int $fence, CallContext $context): bool
    {
        throw $this->thrown;
    }

    public function deleteIf(string $key, string $token, CallContext $context): bool
    {
        throw $this->thrown;
    }

    public function tryLock(string $key, CallContext $context): ?int
    {
        throw $this->thrown;
    }

    public function unlock(string $key, int $fence): void
    {
        throw $this->thrown;
    }
}
