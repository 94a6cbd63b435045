<?php

declare(strict_types=1);

namespace Libpayments\Testing;

/**
 * The one sandbox of this process.
 *
 * @internal
 */
final class SharedSandbox
{
    private static ?Sandbox $sandbox = null;

    /** The sandbox, which the first call starts. */
    public static function running(): Sandbox
    {
        return self::$sandbox ??= new Sandbox();
    }
}
