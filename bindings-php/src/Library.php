<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Loader;

/**
 * The native library under this package.
 *
 * It is searched for in this order; the first two are final, so that a wrong
 * setting is an error and never another library:
 *
 * 1. the file named by `Library::useFile()`;
 * 2. the file named by the environment variable LIBPAYMENTS_LIBRARY of the
 *    process (what a request brings along is never looked at);
 * 3. `lib/libpayments.so.0` of this package;
 * 4. libpayments.so.0, as the system's loader finds it;
 * 5. the usual folders of the system.
 *
 * Where the declarations were preloaded (see preload.php), the library that
 * was named there is used instead of 3 to 5.
 */
final class Library
{
    /**
     * Names the library's file. To be called before the first client is made.
     *
     * @throws Exception\LibraryException when another one is loaded already
     */
    public static function useFile(string $path): void
    {
        Loader::name($path);
    }

    /**
     * The version of the library, for example "0.1.0".
     *
     * @throws Exception\LibraryException when it cannot be used; the message says how to mend that
     */
    public static function version(): string
    {
        return Loader::ffi()->payments_version();
    }

    /**
     * Where the library was found.
     *
     * @throws Exception\LibraryException when it cannot be used; the message says how to mend that
     */
    public static function file(): string
    {
        Loader::ffi();
        return Loader::loadedFrom();
    }
}
