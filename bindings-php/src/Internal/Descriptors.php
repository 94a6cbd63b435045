<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use Libpayments\Library;
use Libpayments\Response;

/**
 * Lets a call report its outcome in a process that has no descriptor left, where PHP
 * cannot open the file of a class.
 *
 * @internal
 */
final class Descriptors
{
    private static bool $isRegistered = false;
    private static bool $isLoaded = false;

    /** Keeps a descriptor in reserve, which is given up before a class of this package is loaded. */
    public static function reserve(FFI $ffi): void
    {
        if (!self::$isRegistered) {
            // Loaded here: within the function, PHP would ask the function for it.
            $isOwn = Library::has(...);
            self::$isRegistered = spl_autoload_register(static function (string $class) use ($ffi, $isOwn): void {
                if ($isOwn($class)) {
                    $ffi->payments_spare_descriptor(0);
                }
            }, prepend: true);
        }
        $ffi->payments_spare_descriptor(1);
    }

    /** Loads the classes that report an outcome before the call, which may take the descriptor in reserve. */
    public static function prepare(FFI $ffi): void
    {
        if (!self::$isLoaded) {
            foreach (Tables::KINDS as [, $class, $marked]) {
                array_map(class_exists(...), [$class, ...array_values($marked)]);
            }
            array_map(class_exists(...), [NativeError::class, Interruption::class, Response::class]);
            self::$isLoaded = true;
        }
        self::reserve($ffi);
    }
}
