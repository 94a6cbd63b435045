<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The package under php-fpm, by real FastCGI requests to one worker.
 */
final class FpmTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
        $this->folder->file('config.json', (string) json_encode($this->sandbox->config()));
    }

    public function testAWorkerKeepsKeyTokenAndConnection(): void
    {
        $this->keeps($this->enabled());
    }

    public function testAWorkerWithPreloadedDeclarationsKeepsThemToo(): void
    {
        $fpm = $this->preloaded();
        $this->keeps($fpm);
        self::assertSame('ffi.preload', $fpm->get('query')['library']);
    }

    public function testCallbacksOfOneRequestDoNotTouchTheNext(): void
    {
        $this->survives($this->enabled());
    }

    public function testCallbacksWorkWithPreloadedDeclarations(): void
    {
        $this->survives($this->preloaded());
    }

    public function testARequestThatEndsInsideACallbackLeavesAWorkingWorker(): void
    {
        $fpm = $this->enabled();
        $first = $fpm->get('query');
        foreach (['exit', 'fatal', 'exit'] as $way) {
            $fpm->text($way);
            $next = $fpm->get('query');
            self::assertSame('rejected', $next['kind'], $way . $next['message']);
            self::assertSame($first['pid'], $next['pid'], $way);
            self::assertSame(['signed'], $fpm->get('sign')['events'], $way);
        }
        self::assertSame(1, $this->sandbox->stats()['token_requests'], 'one for both configurations');
    }

    public function testAClientThatARequestLeavesPaysAtItsEndAndIsFreed(): void
    {
        $fpm = $this->enabled();
        $used = [];
        for ($request = 0; $request < 120; $request++) {
            $text = $fpm->text('left');
            self::assertMatchesRegularExpression('/^(\d+) KiB, left \d+: PE$/', trim($text));
            $used[] = (int) $text;
        }
        // A client with a parsed key takes more than 20 KiB.
        self::assertLessThan(20 * 60, $used[119] - $used[39]);
    }

    public function testARequestThatEndsDuringATokenRequestBlocksNoOther(): void
    {
        $fpm = $this->enabled();
        $fpm->text('exit_with_token');
        $started = microtime(true);
        self::assertSame('rejected', $fpm->get('query')['kind']);
        self::assertLessThan(20.0, microtime(true) - $started);
    }

    public function testARequestThatEndsAfterATokenRequestReleasesItsLock(): void
    {
        $this->keepTokensInFiles();
        $this->sandbox->call('POST', '/sandbox/settings', ['token_lifetime_ms' => 2000]);
        [$first, $second] = [$this->enabled(), $this->enabled()];
        foreach (['exit_with_token', 'fatal_with_token'] as $way) {
            $requests = $this->sandbox->stats()['token_requests'];
            self::assertStringNotContainsString('kind', $first->text($way));
            self::assertSame($requests + 1, $this->sandbox->stats()['token_requests'], $way);
            usleep(2_100_000);
            $workers = [];
            $started = microtime(true);
            $calls = [[$first, 'query'], [$first, 'observe'], [$second, 'query'], [$second, 'observe']];
            foreach ($calls as [$fpm, $do]) {
                $response = $fpm->get($do);
                self::assertSame('rejected', $response['kind'], "$way $do: " . $response['message']);
                $workers[$response['pid']] = true;
            }
            self::assertCount(2, $workers);
            self::assertLessThan(20.0, microtime(true) - $started, $way);
            usleep(2_100_000);
        }
    }

    public function testWorkersWithAFileForTheTokenShareOne(): void
    {
        $this->keepTokensInFiles();
        $workers = [];
        foreach ([$this->enabled(), $this->enabled(), $this->preloaded()] as $fpm) {
            $response = $fpm->get('query');
            self::assertSame('rejected', $response['kind'], $response['message']);
            $workers[$response['pid']] = true;
        }
        self::assertCount(3, $workers);
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
    }

    public function testWithoutEitherSettingTheMessageNamesBoth(): void
    {
        $fpm = $this->start([]);
        $said = $fpm->get('query');
        self::assertSame('ffi_disabled', $said['code']);
        self::assertStringContainsString('php_admin_value[ffi.enable] = 1', $said['message']);
        self::assertStringContainsString('opcache.preload', $said['message']);
    }

    public function testPreloadingOfSomethingElseIsNotEnough(): void
    {
        $other = $this->folder->file('other.php', '<?php');
        $said = $this->start(['opcache.preload' => $other] + $this->preloadUser())->get('query');
        self::assertSame('ffi_disabled', $said['code']);
    }

    public function testARequestCannotNameTheLibrary(): void
    {
        $fpm = $this->enabled();
        $evil = [Loader::VARIABLE => '/nowhere/evil.so', 'HTTP_LIBPAYMENTS_LIBRARY' => '/nowhere/evil.so'];
        self::assertSame($this->library(), $fpm->get('query', $evil)['library']);
    }

    /** From the second request on, nothing is created again. */
    private function keeps(Fpm $fpm): void
    {
        $first = $fpm->get('query');
        self::assertSame('rejected', $first['kind'], $first['message']);
        $before = $this->sandbox->stats();
        self::assertSame(1, $before['token_requests']);
        $made = [];
        for ($request = 0; $request < 10; $request++) {
            $next = $fpm->get('query');
            self::assertSame($first['pid'], $next['pid']);
            self::assertSame('rejected', $next['kind'], $next['message']);
            $made[] = $next['make_us'];
        }
        $after = $this->sandbox->stats();
        self::assertSame(1, $after['token_requests'], 'the token is kept');
        self::assertSame($before['connections'], $after['connections'], 'the connection is kept');
        self::assertSame($before['requests'] + 10, $after['requests']);
        // The file of the key was read, and the key was not parsed again: another one is.
        self::assertLessThan($first['make_us'], min($made), 'the parsed key is kept');
        $config = ['key_file' => $this->folder->file('key.pem')] + $this->sandbox->config();
        copy(Repository::key('test_rsa_4096_pkcs8.pem'), $config['key_file']);
        $this->folder->file('config.json', (string) json_encode($config));
        self::assertSame('rejected', $fpm->get('query')['kind']);
        copy(Repository::key('test_other_rsa_4096_pkcs8.pem'), $config['key_file']);
        self::assertSame('unauthorized', $fpm->get('query')['kind'], 'a rotated key is noticed');
    }

    private function survives(Fpm $fpm): void
    {
        $first = $fpm->get('observe');
        self::assertContains('request_ended', $first['events']);
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
        $this->tokensAfter(['query', 'query', 'observe', 'query'], 1, $fpm, $first['pid']);
        // Without a key it is another configuration, which shares the token.
        $this->tokensAfter(['sign', 'query', 'sign', 'query'], 1, $fpm, $first['pid']);
        // A client with a store has its own.
        $this->tokensAfter(['store', 'query', 'sign', 'observe'], 2, $fpm, $first['pid']);
        foreach ($this->sandbox->requests('query_payment') as $request) {
            self::assertSame('verified', $request['signature']);
        }
    }

    /** @param list<string> $actions */
    private function tokensAfter(array $actions, int $tokens, Fpm $fpm, int $worker): void
    {
        foreach ($actions as $action) {
            $next = $fpm->get($action);
            self::assertSame($worker, $next['pid'], $action);
            self::assertSame('rejected', $next['kind'], $next['message']);
        }
        self::assertSame($tokens, $this->sandbox->stats()['token_requests'], implode(', ', $actions));
    }

    private function keepTokensInFiles(): void
    {
        $config = ['token_store' => 'file:' . $this->folder->file('tokens')] + $this->sandbox->config();
        $this->folder->file('config.json', (string) json_encode($config));
    }

    private function enabled(): Fpm
    {
        return $this->start(['ffi.enable' => '1']);
    }

    /** As the README of the package says. */
    private function preloaded(): Fpm
    {
        $package = dirname(__DIR__);
        // Here, because PHP preloads no library with a space in its path.
        copy($this->library(), $this->folder->file('libpayments.so'));
        $library = $this->folder->file('libpayments.so');
        $declarations = Php::output([PHP_BINARY, "$package/bin/libpayments-preload", $library]);
        return $this->start([
            'ffi.enable' => 'preload',
            'ffi.preload' => $this->folder->file('libpayments_preload.h', $declarations),
            'opcache.preload' => "$package/preload.php",
        ] + $this->preloadUser());
    }

    /** @return array<string, string> */
    private function preloadUser(): array
    {
        return posix_geteuid() === 0 ? ['opcache.preload_user' => 'root'] : [];
    }

    /** @param array<string, string> $ini */
    private function start(array $ini): Fpm
    {
        return new Fpm(__DIR__ . '/fixtures/fpm.php', $ini, [
            Loader::VARIABLE => $this->library(),
            'TEST_CONFIG' => $this->folder->file('config.json'),
        ]);
    }

    private function library(): string
    {
        return (string) realpath(Repository::built('libpayments.so'));
    }
}
