<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A pool of four workers, after the preload file of the application has made
 * a client and used it.
 *
 * A master that runs as an ordinary user preloads in its own process, so that its
 * workers are forked from the process that used the client. A master that runs as
 * root preloads in a process that ends before there are workers: PHP does so for
 * opcache.preload_user, whichever user that is. Then the workers inherit nothing,
 * and have one token in common only if it is kept outside of them.
 */
final class FpmPoolTest extends TestCase
{
    private const WORKERS = 4;
    /** Neither root nor another user of this machine. */
    private const NOBODY = 65534;

    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
    }

    public function testWorkersInheritTheClientOfTheirMasterWithItsToken(): void
    {
        $fpm = $this->ordinary('memory');
        $this->serves($fpm, 1);
        self::assertSame($this->preloadedBy(), $this->master($fpm), 'the master itself used the client');
    }

    public function testWorkersOfAMasterThatUsedTheTokenOfAFileUseItToo(): void
    {
        $fpm = $this->ordinary('file:' . $this->folder->file('tokens'));
        $this->serves($fpm, 1);
        self::assertSame($this->preloadedBy(), $this->master($fpm), 'the master itself used the client');
    }

    public function testWorkersOfThisUsersMasterShareTheTokenOfAFile(): void
    {
        $this->serves($this->ofThisUser('file:' . $this->folder->file('tokens')), 1);
    }

    public function testWorkersInheritNothingFromAMasterThatIsRoot(): void
    {
        $fpm = $this->ofThisUser('memory');
        $isInherited = posix_geteuid() !== 0;
        $this->serves($fpm, $isInherited ? 1 : 1 + self::WORKERS);
        self::assertSame($isInherited, $this->preloadedBy() === $this->master($fpm));
    }

    /** All workers respond, each over its own connection; `$tokens` are fetched in all. */
    private function serves(Fpm $fpm, int $tokens): void
    {
        $before = $this->sandbox->stats();
        // A worker that responds stays busy until the others have got their requests.
        $this->sandbox->call('POST', '/sandbox/settings', ['latency_ms' => 100]);
        $workers = [];
        for ($round = 0; $round < 20 && count($workers) < self::WORKERS; $round++) {
            foreach ($fpm->getAtOnce('query', 2 * self::WORKERS) as $response) {
                self::assertSame('rejected', $response['kind'], $response['message']);
                $workers[$response['pid']] = true;
            }
        }
        self::assertCount(self::WORKERS, $workers);
        self::assertSame(1, $before['token_requests'], 'the preload script fetched one');
        self::assertSame($tokens, $this->sandbox->stats()['token_requests']);
        $users = [];
        foreach ($this->sandbox->requests('query_payment') as $request) {
            self::assertSame('verified', $request['signature']);
            self::assertSame(1, preg_match('/merchant_payment_code=process-(\d+)/', $request['query'], $found));
            $users[$request['connection']][$found[1]] = true;
        }
        $processes = array_merge(...array_map('array_keys', array_values($users)));
        self::assertCount(self::WORKERS + 1, array_unique($processes), 'the workers, and what was preloaded');
        foreach ($users as $connection => $of) {
            self::assertCount(1, $of, "connection $connection");
        }
    }

    /** The process that ran the preload file. */
    private function preloadedBy(): int
    {
        $text = (string) file_get_contents($this->folder->file('config.json.preloaded'));
        $preloaded = json_decode($text, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame('rejected', $preloaded['kind'], 'the service responded: ' . $preloaded['message']);
        return $preloaded['pid'];
    }

    private function master(Fpm $fpm): int
    {
        return $fpm->get('query')['master'];
    }

    /** A pool that runs as an ordinary user, even if root runs this test, and reads only copies. */
    private function ordinary(string $store): Fpm
    {
        $user = posix_geteuid() === 0 ? self::NOBODY : null;
        if ($user !== null) {
            $this->folder->giveTo($user);
        }
        return $this->pool($store, $user, []);
    }

    private function ofThisUser(string $store): Fpm
    {
        return $this->pool($store, null, posix_geteuid() === 0 ? ['opcache.preload_user' => 'root'] : []);
    }

    /** @param array<string, string> $ini */
    private function pool(string $store, ?int $user, array $ini): Fpm
    {
        $package = $this->folder->copy(dirname(__DIR__), 'package');
        $library = $this->folder->file('libpayments.so.0');
        copy(Repository::built('libpayments.so'), $library);
        $config = ['token_store' => $store, 'key_file' => $this->folder->file('key.pem')] + $this->sandbox->config();
        copy(Repository::key('test_rsa_4096_pkcs8.pem'), $config['key_file']);
        $environment = ['TEST_CONFIG' => $this->folder->file('config.json', (string) json_encode($config))];
        $declarations = Php::output([PHP_BINARY, "$package/bin/libpayments-preload", $library]);
        return new Fpm("$package/tests/fixtures/fpm.php", $ini + [
            'ffi.enable' => 'preload',
            'ffi.preload' => $this->folder->file('libpayments_preload.h', $declarations),
            'opcache.preload' => "$package/tests/fixtures/preload.php",
        ], $environment, self::WORKERS, $environment, $user);
    }
}
