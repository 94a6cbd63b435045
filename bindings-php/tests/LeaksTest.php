<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\PdoJournal;
use Libpayments\SigningInput;
use Libpayments\Tests\Support\BrokenStore;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\MemoryStore;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Thousands of calls take no more memory than hundreds, neither PHP's nor the
 * process's.
 */
final class LeaksTest extends TestCase
{
    private const CALLS = 5000;
    private const WARM_UP = 500;

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
        self::$sandbox->call('POST', '/sandbox/settings', ['verify_signatures' => false]);
    }

    public function testACycleOfClientAndCallbackIsCollected(): void
    {
        $holder = new \stdClass();
        $holder->client = new Client(self::$sandbox->config(), observer: static function () use ($holder): void {
            $holder->seen = true;
        }, shared: false);
        $gone = \WeakReference::create($holder->client);
        $holder->client->accessToken();
        self::assertTrue($holder->seen);
        unset($holder);
        gc_collect_cycles();
        self::assertNull($gone->get());
    }

    public function testCallsThatSucceed(): void
    {
        $client = new Client(array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]));
        $hash = $client->createPayment(Samples::payment())->hash();
        $this->grows(static fn (): mixed => $client->queryPayment(['hash' => $hash])->json());
    }

    public function testCallsThatFail(): void
    {
        $client = new Client(array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]));
        $this->grows(static function () use ($client): void {
            try {
                $client->queryPayment(['hash' => 'none']);
            } catch (PaymentsException $error) {
                $error->getResponseBody();
            }
        });
    }

    public function testRequestsThatAreRefusedAndPrepared(): void
    {
        $payment = Samples::payment();
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x']);
        $this->grows(static function () use ($client, $payment): void {
            $client->prepare('create_payment', $payment);
            $client->prepare('send', ['method' => 'POST', 'path' => '/x'], str_repeat('x', 2000));
            try {
                $client->createPayment(['payment' => ['name' => 1.5]]);
            } catch (PaymentsException) {
            }
            try {
                $client->createPayment([]);
            } catch (PaymentsException) {
            }
        });
    }

    public function testClientsWithCallbacks(): void
    {
        $config = array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        $signature = str_repeat('s', 512);
        $store = new MemoryStore();
        $database = new \PDO('sqlite::memory:');
        $journal = new PdoJournal(static fn (): \PDO => $database);
        $journal->create();
        $hash = (new Client($config))->createPayment(Samples::payment(['merchant_payment_code' => 'b']))->hash();
        $calls = 0;
        $this->grows(static function () use ($config, $signature, $store, $journal, $hash, &$calls): void {
            $client = new Client(
                $config,
                new CallbackSigner('kid', static function (SigningInput $input) use ($signature, &$calls): string {
                    $calls++;
                    return $signature;
                }),
                $store,
                static function () use (&$calls): void {
                    $calls++;
                },
                journal: $journal,
            );
            $client->queryPayment(['hash' => $hash]);
            $client->journal()->show('order-1');
            $calls += count($store->calls);
            $store->calls = [];
        });
        // One signature, at least two events and one look into the store for each call.
        self::assertGreaterThan(4 * self::CALLS, $calls);
    }

    public function testCallbacksThatThrow(): void
    {
        $config = array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        $store = new BrokenStore(new \RuntimeException('always'));
        $client = new Client($config, tokenStore: $store, observer: static function (): void {
            throw new \RuntimeException('always');
        });
        ErrorLog::during(fn () => $this->grows(static function () use ($client): void {
            try {
                $client->queryPayment(['hash' => 'x']);
            } catch (PaymentsException) {
            }
        }));
    }

    /** @param \Closure(): mixed $act */
    private function grows(\Closure $act): void
    {
        for ($count = 0; $count < self::WARM_UP; $count++) {
            $act();
        }
        gc_collect_cycles();
        [$ownBefore, $allBefore] = [memory_get_usage(), self::resident()];
        for ($count = 0; $count < self::CALLS; $count++) {
            $act();
        }
        gc_collect_cycles();
        [$own, $all] = [memory_get_usage() - $ownBefore, self::resident() - $allBefore];
        fwrite(STDERR, "{$this->getName()}: PHP grew by $own bytes, the process by $all KiB\n");
        // A leak of 16 bytes for each call would be 80,000; the process may take a few pages.
        self::assertLessThan(8 * self::CALLS, $own);
        self::assertLessThan(1024, $all);
    }

    /** The memory of the process, in KiB. */
    private static function resident(): int
    {
        preg_match('/^VmRSS:\s+(\d+)/m', (string) file_get_contents('/proc/self/status'), $found);
        return (int) $found[1];
    }
}
