<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallContext;
use Libpayments\Journal;

/**
 * A journal that runs code before each action.
 */
final class WatchedJournal implements Journal
{
    /** @param \Closure(string, CallContext): mixed $before gets the action's name */
    public function __construct(private Journal $inner, private \Closure $before)
    {
    }

    public function insert(array $entry, CallContext $context): bool
    {
        ($this->before)('insert', $context);
        return $this->inner->insert($entry, $context);
    }

    public function update(array $entry, CallContext $context): array
    {
        ($this->before)('update', $context);
        return $this->inner->update($entry, $context);
    }

    public function find(array $filter, CallContext $context): array
    {
        ($this->before)('find', $context);
        return $this->inner->find($filter, $context);
    }

    public function count(string $scope, int $before, CallContext $context): array
    {
        ($this->before)('count', $context);
        return $this->inner->count($scope, $before, $context);
    }

    public function prune(string $scope, int $before, int $limit, CallContext $context): int
    {
        ($this->before)('prune', $context);
        return $this->inner->prune($scope, $before, $limit, $context);
    }
}
