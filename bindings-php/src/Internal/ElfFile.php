<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Reads the header of a shared library, because the system loader's errors for a
 * wrong file are hard to understand.
 *
 * @internal
 */
final class ElfFile
{
    private const MACHINES = [
        0x03 => 'x86', 0x28 => 'arm', 0x3E => 'x86_64', 0xB7 => 'aarch64', 0xF3 => 'riscv64',
        0x15 => 'ppc64', 0x16 => 's390x',
    ];

    /** The architecture of `php_uname('m')`, with the names above. */
    private const HERE = [
        'i386' => 'x86', 'i686' => 'x86', 'amd64' => 'x86_64', 'arm64' => 'aarch64', 'armv7l' => 'arm',
        'ppc64le' => 'ppc64',
    ];

    /** The architecture of this machine. */
    public static function here(): string
    {
        $here = php_uname('m');
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
            return [ErrorCode::LIBRARY_UNREADABLE, 'is a folder; name the file in it'];
        }
        if (!is_readable($path)) {
            $problem = 'is not readable by this user; run chmod a+r on it, and a+x on its folders';
            return [ErrorCode::LIBRARY_UNREADABLE, $problem];
        }
        $head = (string) @file_get_contents($path, false, null, 0, 20);
        if (PHP_OS_FAMILY !== 'Linux') {
            return null;
        }
        if (strlen($head) < 20 || !str_starts_with($head, "\x7fELF")) {
            return [ErrorCode::LIBRARY_NOT_ELF, 'is not a shared library; name libpayments.so.0'];
        }
        $bits = ord($head[4]) === 2 ? 64 : 32;
        $machine = unpack(ord($head[5]) === 2 ? 'n' : 'v', $head, 18)[1];
        $name = self::MACHINES[$machine] ?? "machine $machine";
        $here = self::here();
        if ($bits !== 8 * PHP_INT_SIZE || (in_array($here, self::MACHINES, true) && $name !== $here)) {
            $problem = "is built for $name with $bits bits, but this PHP runs on $here with "
                . 8 * PHP_INT_SIZE . ' bits; install the library for this machine';
            return [ErrorCode::LIBRARY_ARCHITECTURE, $problem];
        }
        return null;
    }
}
