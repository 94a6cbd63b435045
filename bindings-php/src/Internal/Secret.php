<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * For objects that must stay in this process: they cannot be dumped or serialized.
 *
 * @internal
 */
trait Secret
{
    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return [];
    }

    /**
     * @return array<string, mixed>
     * @throws \LogicException always
     */
    public function __serialize(): array
    {
        throw new \LogicException(self::class . ' contains secrets and cannot be serialized');
    }

    /**
     * @param array<string, mixed> $values
     * @throws \LogicException always
     */
    public function __unserialize(array $values): void
    {
        throw new \LogicException(self::class . ' cannot be unserialized');
    }
}
