<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * PHP under a preloaded allocator. FFI loads libraries with RTLD_DEEPBIND, so
 * libpayments allocates with the C library, which uses the preloaded one inside.
 */
final class AllocatorsTest extends TestCase
{
    private const SAID = "PE PE\nalready_done\npayment_not_found\nfile_unreadable\ntoken_store_failed\n"
        . "signature_mismatch\n17\n";

    public function testCallsWorkUnderAPreloadedAllocator(): void
    {
        self::assertSame(self::SAID, $this->under([$this->jemalloc()]));
    }

    /** Where PHP makes callbacks of closures, libffi frees what the C library allocates. */
    public function testCallbacksWorkIfLibffiIsPreloadedToo(): void
    {
        preg_match('~ (/\S+/libffi\.so\S*)$~m', (string) file_get_contents('/proc/self/maps'), $found);
        $said = $this->under([$this->jemalloc(), $found[1]], 'callbacks');
        self::assertStringStartsWith(self::SAID . 'unauthorized load tryLock ', $said);
    }

    /** @param list<string> $preloaded */
    private function under(array $preloaded, string ...$arguments): string
    {
        $sandbox = new Sandbox();
        $folder = new Folder();
        $store = ['token_store' => 'file:' . $folder->file('tokens')];
        $journal = ['journal' => 'file:' . $folder->file('journal/payments.db')];
        $config = $folder->file('config.json', (string) json_encode($sandbox->config() + $store + $journal));
        // Debian's other extensions cannot be loaded like this.
        $php = [PHP_BINARY, '-n', '-d', 'extension=ffi', __DIR__ . '/fixtures/allocators.php', ...$arguments];
        return Php::output(['env', 'LD_PRELOAD=' . implode(' ', $preloaded), ...$php], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $config,
            'RUST_BACKTRACE' => '1',
        ]);
    }

    private function jemalloc(): string
    {
        preg_match('/^\tlibjemalloc\.so\.2 .* => (.+)$/m', Php::output(['/sbin/ldconfig', '-p']), $found);
        self::assertNotEmpty($found, 'libjemalloc.so.2 is missing: scripts/setup.sh test installs it');
        return $found[1];
    }
}
