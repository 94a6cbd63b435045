<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Holds a value that dumps, casts, exports and error pages must not show:
 * secrets, payer data, and closures that may have captured some.
 *
 * All of these read properties, and Symfony's dump() ignores `__debugInfo()`
 * there. The return value of a generator is not a property, but the garbage
 * collector sees it, unlike the values of a static WeakMap.
 *
 * @internal
 */
final class Hidden
{
    private static ?string $key = null;

    private ?\Generator $returned;

    /** Makes `==` compare the values. Without the key, nobody can guess a value and compare. */
    private int|string|null $tag;

    /** @param ?string $text compared by `==` instead of the value, which may be large */
    public function __construct(#[\SensitiveParameter] mixed $value, #[\SensitiveParameter] ?string $text = null)
    {
        $this->returned = self::returning($value);
        // Runs it to its end.
        $this->returned->valid();
        self::$key ??= random_bytes(32);
        $this->tag = is_object($value)
            ? spl_object_id($value)
            : hash_hmac('sha256', $text ?? serialize($value), self::$key);
    }

    /** Null after this object was unserialized. */
    public function value(): mixed
    {
        return $this->returned?->getReturn();
    }

    /** @return array{} */
    public function __debugInfo(): array
    {
        return [];
    }

    /** @return array{} */
    public function __serialize(): array
    {
        return [];
    }

    /** @param array<string, mixed> $values */
    public function __unserialize(array $values): void
    {
        $this->returned = $this->tag = null;
    }

    private static function returning(#[\SensitiveParameter] mixed $value): \Generator
    {
        return $value;
        // Makes this function a generator.
        yield;
    }
}
