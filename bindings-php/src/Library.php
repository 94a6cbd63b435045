<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Loader;
use Libpayments\Internal\Signals;

/**
 * The native library that this package uses.
 *
 * The package looks for it in this order. If one of the first two is set,
 * nothing else is tried, so that a wrong setting never loads another library:
 *
 * 1. the file set with `Library::useFile()`
 * 2. the file in the process's environment variable LIBPAYMENTS_LIBRARY
 *    (parameters of an HTTP request are ignored)
 * 3. `lib/x86_64-gnu/libpayments.so.0`, by processor and libc, in the folder of this package
 *    (`lib/aarch64-macos/libpayments.0.dylib`, `lib/x86_64-windows/payments.dll`)
 * 4. the same file name, as the system's loader finds it
 * 5. the usual system folders
 *
 * With preloaded declarations (see preload.php), the library that is named
 * there replaces 3 to 5.
 */
final class Library
{
    /**
     * Sets the file of the library. Call it before you create the first client.
     *
     * @throws Exception\LibraryException if another library is already loaded
     */
    public static function useFile(string $path): void
    {
        Loader::name($path);
    }

    /**
     * The version of the library, for example "0.1.0".
     *
     * @throws Exception\LibraryException if it cannot be used; the message says what to do
     */
    public static function version(): string
    {
        return Signals::held(static fn (): string => Loader::ffi()->payments_version());
    }

    /**
     * The file that the library was loaded from.
     *
     * @throws Exception\LibraryException if it cannot be used; the message says what to do
     */
    public static function file(): string
    {
        Signals::held(Loader::ffi(...));
        return Loader::loadedFrom();
    }

    /**
     * Whether the class is one of this package, whose name a tool may have prefixed.
     *
     * @internal calls no function, since a host may have disabled any
     */
    public static function has(string $class): bool
    {
        $prefix = __NAMESPACE__ . '\\';
        $at = 0;
        while (isset($prefix[$at]) && ($class[$at] ?? '') === $prefix[$at]) {
            $at++;
        }
        return !isset($prefix[$at]);
    }
}
