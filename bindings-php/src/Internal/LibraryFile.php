<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Reads the header of a shared library, because the system loader's errors for a
 * wrong file are hard to understand.
 *
 * @internal
 */
final class LibraryFile
{
    /** Processors by their numbers in each format of the systems' libraries. */
    private const MACHINES = [
        'ELF' => [
            0x03 => 'x86', 0x28 => 'arm', 0x3E => 'x86_64', 0xB7 => 'aarch64', 0xF3 => 'riscv64',
            0x15 => 'ppc64', 0x16 => 's390x',
        ],
        'Mach-O' => [0x01000007 => 'x86_64', 0x0100000C => 'aarch64'],
        'PE' => [0x014C => 'x86', 0x8664 => 'x86_64', 0xAA64 => 'aarch64'],
    ];

    /** The architecture of `php_uname('m')`, with the names above. */
    private const HERE = [
        'i386' => 'x86', 'i686' => 'x86', 'amd64' => 'x86_64', 'arm64' => 'aarch64', 'armv7l' => 'arm',
        'ppc64le' => 'ppc64',
    ];

    /** The architecture of this machine. */
    public static function here(): string
    {
        $here = strtolower(php_uname('m'));
        return self::HERE[$here] ?? $here;
    }

    /**
     * Returns an error code and a message, or null if the file can be loaded.
     *
     * @return array{string, string}|null
     */
    public static function problem(string $path): ?array
    {
        if (is_dir($path)) {
            return [ErrorCode::LIBRARY_NOT_LOADED, 'is a folder; name the file in it'];
        }
        if (!is_readable($path)) {
            $problem = 'is not readable by this user; run chmod a+r on it, and a+x on its folders';
            return [ErrorCode::LIBRARY_NOT_LOADED, $problem];
        }
        $format = ['Darwin' => 'Mach-O', 'Windows' => 'PE'][PHP_OS_FAMILY] ?? 'ELF';
        return self::problemIn(self::head($path), $format, self::here());
    }

    /** The beginning of a file, or nothing if it cannot be read. */
    public static function head(string $path): string
    {
        return (string) Quietly::run(static fn () => file_get_contents($path, false, null, 0, 4096));
    }

    /**
     * The same for the beginning of a file that should have a format and be built for a machine.
     *
     * @return array{string, string}|null
     */
    public static function problemIn(string $head, string $format, string $here): ?array
    {
        // A Mach-O file for several machines; the loader picks the right one.
        if ($format === 'Mach-O' && str_starts_with($head, "\xca\xfe\xba\xbe")) {
            return null;
        }
        [$machine, $bits] = self::builtFor(str_pad($head, 64, "\0"), $format) ?? [null, 0];
        if ($machine === null) {
            return [ErrorCode::LIBRARY_NOT_LOADED, 'is not a shared library of this system; name that of libpayments'];
        }
        $names = self::MACHINES[$format];
        $name = $names[$machine] ?? "machine $machine";
        if ($bits !== 8 * PHP_INT_SIZE || (in_array($here, $names, true) && $name !== $here)) {
            $problem = "is built for $name with $bits bits, but this PHP runs on $here with "
                . 8 * PHP_INT_SIZE . ' bits; install the library for this machine';
            return [ErrorCode::LIBRARY_NOT_LOADED, $problem];
        }
        return null;
    }

    /**
     * The number of the machine and its bits, or null for another format.
     *
     * @return array{int, int}|null
     */
    private static function builtFor(string $head, string $format): ?array
    {
        if ($format === 'Mach-O') {
            $bits = ["\xcf\xfa\xed\xfe" => 64, "\xce\xfa\xed\xfe" => 32][substr($head, 0, 4)] ?? null;
            return $bits === null ? null : [unpack('V', $head, 4)[1], $bits];
        }
        if ($format === 'PE') {
            $at = unpack('V', $head, 0x3C)[1];
            $isOne = str_starts_with($head, 'MZ') && substr($head, $at, 4) === "PE\0\0" && strlen($head) >= $at + 26;
            $bits = substr($head, $at + 24, 2) === "\x0b\x02" ? 64 : 32;
            return $isOne ? [unpack('v', $head, $at + 4)[1], $bits] : null;
        }
        if (!str_starts_with($head, "\x7fELF")) {
            return null;
        }
        return [unpack(ord($head[5]) === 2 ? 'n' : 'v', $head, 18)[1], ord($head[4]) === 2 ? 64 : 32];
    }
}
