<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * A descriptor that is given up before PHP opens the file of a class. Without
 * it, a process that has no other left would not learn what became of a call.
 *
 * @internal
 */
final class SpareDescriptor
{
    /** @var ?resource */
    private static $spare = null;

    private static bool $isRegistered = false;

    /** Takes a descriptor, unless it is held, none is free, or this is Windows, where they are plenty. */
    public static function hold(): void
    {
        if (!self::$isRegistered) {
            self::$isRegistered = spl_autoload_register(static function (string $class): void {
                if (str_starts_with($class, 'Libpayments\\')) {
                    self::$spare = null;
                }
            }, prepend: true);
        }
        self::$spare ??= @fopen('/dev/null', 'r') ?: null;
    }
}
