<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Runs code that may warn without the program's error handler, which may throw,
 * even for warnings that `@` silences.
 *
 * @internal
 */
final class Quietly
{
    /**
     * @template T
     * @param \Closure(): T $act
     * @param ?string $said receives the warnings
     * @return T
     */
    public static function run(\Closure $act, ?string &$said = null): mixed
    {
        $said = '';
        set_error_handler(static function (int $level, string $warning) use (&$said): bool {
            $said .= ($said === '' ? '' : '; ') . $warning;
            return true;
        });
        try {
            return $act();
        } finally {
            restore_error_handler();
        }
    }
}
