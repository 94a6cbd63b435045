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
 * A client across pcntl_fork(): parent and children use it at once, and the
 * children end as every script does, with destructors.
 */
final class ForkTest extends TestCase
{
    private const PROCESSES = ['parent', 'child1', 'child2', 'child3'];

    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
    }

    /**
     * @dataProvider kinds
     * @param list<string> $events that the parent's observer received
     */
    public function testAClientServesParentAndChildrenAtOnce(string $kind, bool $hasFile, array $events): void
    {
        $store = ['token_store' => $hasFile ? 'file:' . $this->folder->file('tokens') : 'memory'];
        $config = $this->folder->file('config.json', (string) json_encode($store + $this->sandbox->config()));
        $this->sandbox->call('POST', '/sandbox/settings', ['latency_ms' => 50]);
        $output = Php::output([PHP_BINARY, __DIR__ . '/fixtures/fork.php', $kind], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $config,
        ]);
        $report = json_decode($output, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame([0, 0, 0, 0], $report['exits'], $output);
        self::assertSame($events, $report['events']);
        $destroyed = array_unique(file("$config.destroyed", FILE_IGNORE_NEW_LINES) ?: []);
        self::assertCount(5, $destroyed, 'every process destroyed its client');
        $stats = $this->sandbox->stats();
        self::assertSame(1, $stats['token_requests']);
        self::assertGreaterThan(1, $stats['max_in_flight'], 'calls went on at once');
        $this->assertConnectionsAreKeptAndNotShared();
    }

    /** @return array<string, array{string, bool, list<string>}> */
    public static function kinds(): array
    {
        return [
            'a shared client' => ['shared', false, []],
            'a client that shares nothing' => ['alone', false, []],
            'a client with callbacks' => ['callbacks', false, [
                'request_started', 'token_requested', 'token_fetched', 'attempt', 'attempt_ended',
                'request_ended', 'token_reused',
            ]],
            'a token in a file' => ['file', true, []],
            'a token in a file, which nobody fetched before' => ['unused_file', true, []],
        ];
    }

    /** @dataProvider points */
    public function testACallContinuesOnlyInTheParentIfACallbackForks(string $point): void
    {
        $config = $this->folder->file('config.json', (string) json_encode($this->sandbox->config()));
        $output = Php::output([PHP_BINARY, __DIR__ . '/fixtures/fork_in_callback.php', $point], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $config,
        ]);
        self::assertSame('call_forked', $output);
        $sent = $this->sandbox->requests('create_payment');
        self::assertCount(2, $sent);
        self::assertSame($sent[0]['connection'], $sent[1]['connection'], 'the parent keeps its connection');
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
    }

    /** @return array<string, array{string}> */
    public static function points(): array
    {
        $points = ['sign', 'request_started', 'token_requested', 'token_fetched', 'attempt', 'attempt_ended',
            'request_ended'];
        return array_map(static fn (string $point): array => [$point], array_combine($points, $points));
    }

    /** Each process has one connection, to its end. */
    private function assertConnectionsAreKeptAndNotShared(): void
    {
        $connections = [];
        $payments = [];
        foreach ($this->sandbox->requests('create_payment') as $request) {
            self::assertSame('verified', $request['signature']);
            $payment = json_decode((string) base64_decode($request['body_base64']), true)['payment'];
            $process = strstr($payment['merchant_payment_code'], '-', true);
            $connections[$process][$request['connection']] = true;
            $payments[] = $payment['merchant_payment_code'];
        }
        ksort($connections);
        $processes = self::PROCESSES;
        sort($processes);
        self::assertSame($processes, array_keys($connections));
        self::assertSame($payments, array_unique($payments), 'nothing was sent twice');
        foreach ($connections as $process => $of) {
            self::assertCount(1, $of, "connections of $process");
        }
        $all = array_merge(...array_map('array_keys', array_values($connections)));
        self::assertSame($all, array_unique($all), 'no connection serves two processes');
    }
}
