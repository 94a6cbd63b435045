<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Payer;
use Libpayments\Tests\Support\Redis;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A token in a Redis server, by configuration alone.
 */
final class RedisTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;
    private Redis $redis;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
        $this->redis = new Redis();
    }

    public function testProcessesShareOneToken(): void
    {
        $config = $this->config([]);
        $this->pays(new Payer($config, 'order-1'));
        self::assertGreaterThan(0, (int) $this->redis->ask('DBSIZE'), 'it is kept there');
        $this->pays(new Payer($config, 'order-2'));
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
    }

    public function testProcessesThatStartAtOnceShareOneToken(): void
    {
        $config = $this->config(['token_store_key' => base64_encode(random_bytes(32))]);
        $this->sandbox->call('POST', '/sandbox/settings', ['latency_ms' => 100]);
        $payers = [];
        foreach (['a', 'b', 'c'] as $reference) {
            $payers[] = new Payer($config, $reference);
        }
        array_map([$this, 'pays'], $payers);
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
    }

    public function testWithoutAServerProcessesShareATokenOfThisHost(): void
    {
        $config = $this->config(['token_store_fallback' => 'file:' . $this->folder->file('tokens')]);
        unset($this->redis);
        foreach (['order-1', 'order-2', 'order-3'] as $reference) {
            $this->pays(new Payer($config, $reference));
        }
        self::assertSame(1, $this->sandbox->stats()['token_requests']);
    }

    public function testWithoutAServerAndAFallbackTheTokenIsInMemory(): void
    {
        $config = $this->config(['token_store_fallback' => 'memory']);
        unset($this->redis);
        $this->pays(new Payer($config, 'order-1'));
        $this->pays(new Payer($config, 'order-2'));
        self::assertSame(2, $this->sandbox->stats()['token_requests']);
    }

    /** @param array<string, string> $members */
    private function config(array $members): string
    {
        $config = $members + ['token_store' => $this->redis->url()] + $this->sandbox->config();
        return $this->folder->file('config.json', (string) json_encode($config));
    }

    private function pays(Payer $payer): void
    {
        $paid = $payer->end();
        self::assertSame('PE', $paid['status'] ?? $paid['error']['message']);
        self::assertNotSame(getmypid(), $paid['pid']);
    }
}
