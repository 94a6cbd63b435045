<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\LibraryFile;
use PHPUnit\Framework\TestCase;

/** The headers of libraries, in the formats of all systems. */
final class LibraryFileTest extends TestCase
{
    /** @dataProvider heads */
    public function testTheHeaderOfALibraryNamesItsPlatform(
        string $format,
        string $head,
        string $here,
        ?string $code
    ): void {
        self::assertSame($code, LibraryFile::problemIn($head, $format, $here)[0] ?? null);
    }

    /** @return array<string, array{string, string, string, string|null}> */
    public static function heads(): array
    {
        $elf = static fn (string $machine, string $bits = "\2"): string =>
            "\x7fELF$bits\1\1" . str_repeat("\0", 9) . "\3\0$machine";
        $macho = static fn (int $machine, string $magic = "\xcf\xfa\xed\xfe"): string => $magic . pack('V', $machine);
        $pe = static fn (int $machine, int $magic = 0x020B): string => str_pad('MZ', 0x3C, "\0") . pack('V', 0x80)
            . str_repeat("\0", 0x40) . "PE\0\0" . pack('v', $machine) . str_repeat("\0", 18) . pack('v', $magic);
        [$foreign, $other] = ['library_not_loaded', 'library_not_loaded'];
        return [
            'Linux' => ['ELF', $elf("\x3E\0"), 'x86_64', null],
            'Linux, another machine' => ['ELF', $elf("\xB7\0"), 'x86_64', $foreign],
            'Linux, 32 bits' => ['ELF', $elf("\x3E\0", "\1"), 'x86_64', $foreign],
            'Linux, a library of macOS' => ['ELF', $macho(0x01000007), 'x86_64', $other],
            'macOS' => ['Mach-O', $macho(0x0100000C), 'aarch64', null],
            'macOS, for several machines' => ['Mach-O', "\xca\xfe\xba\xbe\0\0\0\2", 'aarch64', null],
            'macOS, another machine' => ['Mach-O', $macho(0x01000007), 'aarch64', $foreign],
            'macOS, 32 bits' => ['Mach-O', $macho(7, "\xce\xfa\xed\xfe"), 'x86_64', $foreign],
            'macOS, a library of Linux' => ['Mach-O', $elf("\x3E\0"), 'x86_64', $other],
            'Windows' => ['PE', $pe(0x8664), 'x86_64', null],
            'Windows, another machine' => ['PE', $pe(0xAA64), 'x86_64', $foreign],
            'Windows, 32 bits' => ['PE', $pe(0x014C, 0x010B), 'x86_64', $foreign],
            'Windows, a program of DOS' => ['PE', str_pad('MZ', 4096, "\0"), 'x86_64', $other],
            'Windows, cut off' => ['PE', substr($pe(0x8664), 0, 0x84), 'x86_64', $other],
            'Windows, nothing' => ['PE', '', 'x86_64', $other],
        ];
    }
}
