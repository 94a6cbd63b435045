<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\Watched;
use PHPUnit\Framework\TestCase;

/**
 * Calls whose callback never returns: its fiber is dropped, or it exits.
 */
final class AbandonedCallsTest extends TestCase
{
    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    /** @dataProvider places */
    public function testADroppedFiberEndsItsCallAndNothingElse(string $place): void
    {
        [$events, $steps] = [[], []];
        $watch = static function (string $at) use ($place, &$events): void {
            $events[] = $at;
            $at !== $place || \Fiber::getCurrent() === null || \Fiber::suspend();
        };
        $client = Watched::client(self::$sandbox->config(), self::$sandbox->kid(), $watch);
        $fiber = new \Fiber(static function () use ($client, &$steps): void {
            try {
                $client->createPayment(Samples::payment());
                $steps[] = 'returned';
            } catch (\Throwable $error) {
                $steps[] = get_debug_type($error);
            } finally {
                $steps[] = 'finally';
            }
        });
        $fiber->start();
        self::assertSame([$place, []], [end($events), $steps]);
        unset($fiber);
        self::assertSame(['finally'], $steps);
        if ($place !== 'request_ended') {
            self::assertSame('request_ended cancelled not_executed', end($events));
        }
        // Its turn to fetch the token and the client are free.
        $next = Samples::payment(['merchant_payment_code' => 'the next order']);
        self::assertSame('PE', $client->createPayment($next)->status());
    }

    /** @dataProvider places */
    public function testAnExitEndsItsCallAndLeavesTheClientToShutdownFunctions(string $place): void
    {
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/tests/bootstrap.php', true) . ';'
            . 'Libpayments\Tests\Support\Watched::exits('
            . implode(', ', array_map(static fn (mixed $value): string => var_export($value, true), [
                $place,
                self::$sandbox->config(),
                self::$sandbox->kid(),
            ])) . ');';
        self::assertStringEndsWith('finished PE', Php::run($code, [], self::environment()));
    }

    public function testAScriptMayEndWithASuspendedCall(): void
    {
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/tests/bootstrap.php', true) . ';'
            . '$client = new Libpayments\Client(' . var_export(self::$sandbox->config(), true) . ','
            . 'tokenStore: new Libpayments\Tests\Support\SuspendingStore());'
            . '$fiber = new Fiber(static function () use ($client): void {'
            . '    try { $client->accessToken(); } finally { echo "finally"; }'
            . '});'
            . '$fiber->start();';
        self::assertSame('finally', Php::run($code, [], self::environment()));
    }

    public function testADestructorOfTheGarbageCollectorMayCall(): void
    {
        $seen = [];
        $client = new Client(self::$sandbox->config(), observer: static function (array $event) use (&$seen): void {
            $seen[] = $event['event'];
        });
        $holder = new class ($client) {
            public ?object $self = null;
            public static ?string $status = null;

            public function __construct(private Client $client)
            {
            }

            public function __destruct()
            {
                self::$status = $this->client->createPayment(Samples::payment())->status();
            }
        };
        $holder->self = $holder;
        $class = $holder::class;
        unset($holder);
        gc_collect_cycles();
        self::assertSame('PE', $class::$status);
        self::assertSame('request_ended', end($seen));
    }

    /** @return array<string, array{string}> */
    public static function places(): array
    {
        $places = ['sign', 'load', 'tryLock', 'save', 'unlock', 'request_started', 'attempt', 'request_ended'];
        return array_map(static fn (string $place): array => [$place], array_combine($places, $places));
    }

    /** @return array<string, string> */
    private static function environment(): array
    {
        return [Loader::VARIABLE => Repository::built('libpayments.so')];
    }
}
