<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception\LibraryException;
use Libpayments\Library;

/**
 * Finds and loads the native library. Before anything else can fail, it reports
 * what is missing and what to do.
 *
 * @internal
 */
final class Loader
{
    /** The number that payments_abi_version() must return. */
    public const ABI_VERSION = 0;
    /** The file name for the system's loader (on Linux, the soname). */
    public const SONAME = PHP_OS_FAMILY === 'Windows' ? 'payments.dll'
        : (PHP_OS_FAMILY === 'Darwin' ? 'libpayments.0.dylib' : 'libpayments.so.0');
    /** The environment variable with the path of the library. */
    public const VARIABLE = 'LIBPAYMENTS_LIBRARY';
    /** Names this copy of the package: another one may be in the same process, with a prefix. */
    public const OWNER = __NAMESPACE__;
    /** The method that names the library, in messages. */
    private const USE_FILE = Library::class . '::useFile()';
    /** FFI_SCOPE of the preloaded declarations. */
    public const SCOPE = 'LIBPAYMENTS';

    /** PHP's message about a function that does not exist. */
    private const UNDEFINED = '/^Call to undefined function (?:\w+\\\\)*(\w+)\(\)/';

    private const FOLDERS = ['/usr/local/lib', '/usr/local/lib64', '/usr/lib', '/usr/lib64', '/opt/homebrew/lib'];
    private const ABI_DECLARATIONS = 'uint32_t payments_abi_version(void); const char *payments_version(void);';

    private static ?\FFI $ffi = null;
    private static ?string $named = null;
    private static string $loadedFrom = '';

    /** @throws LibraryException */
    public static function name(string $path): void
    {
        if (self::$ffi !== null && self::$loadedFrom !== $path) {
            $message = self::$loadedFrom . ' is already loaded; call ' . self::USE_FILE . ' before you '
                . 'create the first client';
            throw LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, $message);
        }
        self::$named = $path;
    }

    /** The file that the library was loaded from; empty before. */
    public static function loadedFrom(): string
    {
        return self::$loadedFrom;
    }

    /** @throws LibraryException */
    public static function ffi(): \FFI
    {
        try {
            if (self::$ffi === null) {
                self::$ffi = self::load();
                // Of the previous request, which ended without an order.
                self::$ffi->payments_client_free_tracked(self::OWNER, strlen(self::OWNER));
            }
            return self::$ffi;
        } catch (\Error $error) {
            if (preg_match(self::UNDEFINED, $error->getMessage(), $found) !== 1) {
                throw $error;
            }
            $message = "$found[1]() is disabled, which finding the library needs; remove $found[1] from "
                . 'disable_functions' . Functions::configuration();
            throw LibraryException::because(ErrorCode::FFI_DISABLED, $message, $error);
        }
    }

    /** @throws LibraryException */
    private static function load(): \FFI
    {
        Functions::check();
        if (!extension_loaded('ffi')) {
            $message = 'the PHP extension ffi is missing; install it (Debian and Ubuntu: it is part of php-common; '
                . 'Docker: docker-php-ext-install ffi) and enable it with the line "extension=ffi" in the configuration'
                . Functions::configuration();
            throw LibraryException::because(ErrorCode::FFI_DISABLED, $message);
        }
        self::refuseWhenForbidden(strtolower(trim((string) ini_get('ffi.enable'))), PHP_SAPI);
        try {
            return self::preloaded() ?? self::find();
        } catch (\FFI\Exception $error) {
            if (str_contains($error->getMessage(), 'ffi.enable')) {
                throw self::forbidden('preload', $error);
            }
            throw LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, 'could not use the library: '
                . $error->getMessage(), $error);
        }
    }

    /** @throws LibraryException */
    public static function refuseWhenForbidden(string $enable, string $sapi): void
    {
        if (!in_array($enable, ['1', 'on', 'true', 'yes', 'preload'], true)) {
            throw self::forbidden($enable === '' ? '0' : $enable, null);
        }
        if ($enable === 'preload' && !in_array($sapi, ['cli', 'phpdbg', 'embed'], true) && !self::mayBePreloaded()) {
            throw self::forbidden($enable, null);
        }
    }

    /** Whether preloading is configured. Whether it worked shows on first use. */
    private static function mayBePreloaded(): bool
    {
        return (string) ini_get('opcache.preload') !== '';
    }

    private static function forbidden(string $enable, ?\Throwable $previous): LibraryException
    {
        return LibraryException::because(
            ErrorCode::FFI_DISABLED,
            "ffi.enable is \"$enable\", which forbids FFI here; either "
            . 'set ffi.enable=1 in php.ini or as php_admin_value[ffi.enable] = 1 of the FPM pool; or leave it at '
            . '"preload", and set ffi.preload to the declarations that vendor/bin/libpayments-preload writes and '
            . 'opcache.preload to preload.php of this package, with opcache.preload_user' . Functions::configuration(),
            $previous
        );
    }

    /** The preloaded library, if there is one. */
    private static function preloaded(): ?\FFI
    {
        if ((string) ini_get('ffi.preload') === '') {
            return null;
        }
        try {
            $ffi = \FFI::scope(self::SCOPE);
        } catch (\FFI\Exception $error) {
            if (str_contains($error->getMessage(), 'ffi.enable')) {
                throw $error;
            }
            return null;
        }
        self::$loadedFrom = 'ffi.preload';
        self::checkVersion($ffi, 'preloaded by ffi.preload');
        return $ffi;
    }

    /** @throws LibraryException */
    private static function find(): \FFI
    {
        $variable = getenv(self::VARIABLE, true);
        if (self::$named !== null) {
            return self::open(self::$named, self::USE_FILE);
        }
        if (is_string($variable) && $variable !== '') {
            return self::open($variable, 'the environment variable ' . self::VARIABLE);
        }
        $own = self::packaged();
        $unusable = null;
        foreach (array_filter($own, self::isThere(...)) as $file) {
            try {
                return self::open($file, 'the package');
            } catch (LibraryException $error) {
                $unusable ??= $error;
            }
        }
        // A package in an archive may use the library of the system.
        if ($unusable !== null && !self::isInStream($own[0])) {
            throw $unusable;
        }
        try {
            return self::bind(self::SONAME);
        } catch (\FFI\Exception $error) {
            if (str_contains($error->getMessage(), 'resolving')) {
                throw self::explained(self::SONAME, $error);
            }
            $unfound = $error;
        }
        $tried = [...$own, self::SONAME . ' by the system\'s loader'];
        foreach (self::folders() as $folder) {
            $path = "$folder/" . self::SONAME;
            $isHidden = self::isHidden($path);
            $tried[] = $path . ($isHidden ? ' (outside of open_basedir)' : '');
            try {
                if ($isHidden || self::isThere($path)) {
                    return self::open($path, 'the system');
                }
            } catch (LibraryException $error) {
                // A hidden file may not exist at all.
                if (!$isHidden || $error->getErrorCode() !== ErrorCode::LIBRARY_NOT_LOADED) {
                    throw $error;
                }
            }
        }
        throw $unusable ?? LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, self::SONAME
            . ' was not found. Tried: ' . implode(', ', $tried) . '. Install the library (make install), or name its '
            . 'file in the environment variable ' . self::VARIABLE . ' or with ' . self::USE_FILE . '. The loader '
            . 'said: ' . $unfound->getMessage(), $unfound);
    }

    /**
     * Where a published package has the library for this machine: both kinds if it
     * cannot tell the C library. A checkout has none.
     *
     * @return list<string>
     */
    public static function packaged(): array
    {
        $folder = dirname(__DIR__, 2) . '/lib/' . LibraryFile::here();
        if (PHP_OS_FAMILY === 'Windows' || PHP_OS_FAMILY === 'Darwin') {
            return ["$folder-" . (PHP_OS_FAMILY === 'Windows' ? 'windows' : 'macos') . '/' . self::SONAME];
        }
        // The beginning of a program names its dynamic loader. open_basedir may hide it.
        $program = LibraryFile::head('/proc/self/exe');
        $here = str_contains($program, '/ld-musl-') ? ['musl'] : ['gnu'];
        return array_map(
            static fn (string $libc): string => "$folder-$libc/" . self::SONAME,
            $program === '' ? ['gnu', 'musl'] : $here
        );
    }

    /** @return list<string> */
    private static function folders(): array
    {
        // There, any user may create such folders.
        if (PHP_OS_FAMILY === 'Windows') {
            return [];
        }
        $folders = self::FOLDERS;
        $find = static fn (): array => glob('/usr/lib/*-linux-gnu*', GLOB_ONLYDIR | GLOB_NOSORT) ?: [];
        foreach (Quietly::run($find) as $folder) {
            $folders[] = $folder;
        }
        return $folders;
    }

    /** @throws LibraryException */
    private static function open(string $path, string $source): \FFI
    {
        $says = "$path, named by $source,";
        if (self::isInStream($path)) {
            throw LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, "$says is inside of an archive or another "
                . 'stream of PHP, out of which no system loads a library; copy it to a folder, and name that file in '
                . 'the environment variable ' . self::VARIABLE . ' or with ' . self::USE_FILE);
        }
        if (self::isHidden($path)) {
            return self::openHidden($path);
        }
        if (!self::isThere($path)) {
            throw LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, "$says does not exist, or this user may not "
                . 'search its folder; no other file is tried');
        }
        $problem = LibraryFile::problem($path);
        if ($problem !== null) {
            throw LibraryException::because($problem[0], "$says $problem[1]");
        }
        // The loader of the system looks for a name without a folder elsewhere.
        $file = realpath($path) ?: $path;
        try {
            return self::bind($file);
        } catch (\FFI\Exception $error) {
            throw self::explained($file, $error);
        }
    }

    private static function isThere(string $path): bool
    {
        return Quietly::run(static fn (): bool => file_exists($path));
    }

    /** Whether open_basedir keeps PHP from looking at the file. FFI does not ask it. */
    private static function isHidden(string $path): bool
    {
        Quietly::run(static fn (): bool => file_exists($path), $said);
        return str_contains((string) $said, 'open_basedir');
    }

    /** Whether only PHP finds the file, such as one of a phar. */
    private static function isInStream(string $path): bool
    {
        return str_contains($path, '://');
    }

    /**
     * Loads a file that open_basedir hides, without the checks that find its faults.
     *
     * @throws LibraryException
     */
    private static function openHidden(string $path): \FFI
    {
        // The loader of the system looks for a name without a folder elsewhere.
        $file = str_contains($path, '/') ? $path : "./$path";
        try {
            return self::bind($file);
        } catch (\FFI\Exception $error) {
            throw self::explained($file, $error, 'open_basedir hides the file from PHP: check that it exists, that '
                . 'this user may read it and that it is built for this machine, or add its folder to open_basedir');
        }
    }

    private static function bind(string $library): \FFI
    {
        $file = dirname(__DIR__) . '/payments_ffi.h';
        $declarations = Quietly::run(static fn () => file_get_contents($file), $said);
        if ($declarations === false) {
            throw LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, "could not read $file of the package: "
                . "$said");
        }
        // FFI resolves all declarations at once, so a missing function fails here.
        $ffi = \FFI::cdef($declarations, $library);
        self::$loadedFrom = $library;
        self::checkVersion($ffi, $library);
        return $ffi;
    }

    /** The exception for a failure of FFI::cdef. */
    private static function explained(string $path, \FFI\Exception $error, ?string $advice = null): \Throwable
    {
        if (str_contains($error->getMessage(), 'ffi.enable')) {
            return $error;
        }
        try {
            $versions = \FFI::cdef(self::ABI_DECLARATIONS, $path);
        } catch (\FFI\Exception) {
            return LibraryException::because(ErrorCode::LIBRARY_NOT_LOADED, "could not load $path as libpayments: "
                . $error->getMessage() . '; '
                . ($advice ?? 'name another file in the environment variable ' . self::VARIABLE), $error);
        }
        self::checkVersion($versions, $path);
        $message = "$path is version {$versions->payments_version()} of libpayments, which is older than this package: "
            . lcfirst($error->getMessage()) . '; install the library of the same release as this package';
        return LibraryException::because(ErrorCode::LIBRARY_VERSION, $message, $error);
    }

    /** @throws LibraryException */
    private static function checkVersion(\FFI $ffi, string $library): void
    {
        $version = $ffi->payments_abi_version();
        if ($version !== self::ABI_VERSION) {
            throw LibraryException::because(ErrorCode::LIBRARY_VERSION, "$library is version "
                . "{$ffi->payments_version()} of libpayments with version $version of its binary interface, but this "
                . 'package needs '
                . self::ABI_VERSION . '; install the library and the package of the same release');
        }
    }
}
