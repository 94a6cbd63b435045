<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\ConnectException;
use Libpayments\Exception\Executed\ExecutedCancelledException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\Unknown\UnknownTransportException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\Internal\Loader;
use Libpayments\Signer;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\Watched;
use PHPUnit\Framework\TestCase;

/**
 * Signals that arrive while a call waits: their handlers run after it, and
 * their exceptions lose neither the response nor the outcome.
 */
final class SignalsTest extends TestCase
{
    private static Sandbox $sandbox;
    private bool $wasAsync;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->wasAsync = pcntl_async_signals();
    }

    protected function tearDown(): void
    {
        pcntl_signal(SIGUSR1, SIG_DFL);
        pcntl_async_signals($this->wasAsync);
    }

    /** @dataProvider clients */
    public function testAHandlerThatThrowsDoesNotLoseTheResponse(string $client): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'hang', 'ms' => 3000]);
        $report = self::pay($client, 'throws');
        self::assertSame(
            [ExecutedCancelledException::class, \DomainException::class, 'interrupted_after_response', 'executed',
                'create_payment', 'order-1001', 'PE'],
            [$report['class'], $report['previous'], $report['code'], $report['outcome'], $report['operation'],
                $report['reference'], $report['response']],
        );
        self::assertStringContainsString('a signal handler threw DomainException', $report['message']);
        self::assertStringNotContainsString('too long', $report['message']);
        self::assertSame([1, true], [$report['handled'], $report['is_async']]);
        self::assertCount(1, self::$sandbox->requests('create_payment'));
    }

    /** @dataProvider clients */
    public function testAHandlerThatThrowsDoesNotHideTheFailure(string $client): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true, 'delay_ms' => 3000]);
        $report = self::pay($client, 'throws');
        self::assertSame(
            [UnknownTransportException::class, \DomainException::class, 'unknown', 'order-1001'],
            [$report['class'], $report['previous'], $report['outcome'], $report['reference']],
        );
    }

    /** @dataProvider clients */
    public function testAHandlerThatReturnsRunsOnceBeforeTheResponseIsGiven(string $client): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'hang', 'ms' => 3000]);
        $report = self::pay($client, 'counts');
        self::assertSame(['PE', 1, 1, true], [$report['status'], $report['handled_at_once'], $report['handled'],
            $report['is_async']]);
    }

    public function testHandlersThatTheProgramRunsAreLeftToIt(): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'hang', 'ms' => 3000]);
        $report = self::pay('observed', 'counts', '0');
        self::assertSame(['PE', 0, 1, false], [$report['status'], $report['handled_at_once'], $report['handled'],
            $report['is_async']]);
    }

    /** @return array<string, array{string}> */
    public static function clients(): array
    {
        return ['with an observer' => ['observed'], 'without callbacks' => ['plain']];
    }

    /**
     * At the last instant of a call, after the answer was read.
     *
     * @dataProvider ends
     */
    public function testAHandlerThatThrowsAtTheEndOfACallHidesNothing(int $losses, string $ends): void
    {
        $script = ['operation' => 'create_payment', 'times' => $losses, 'then' => [['fault' => 'response_lost']]];
        $losses === 0 || self::$sandbox->call('POST', '/sandbox/faults', $script);
        $folder = new Folder();
        $report = json_decode(Php::output([PHP_BINARY, __DIR__ . '/fixtures/signals_at_the_end.php', '300'], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $folder->file('config.json', (string) json_encode(self::$sandbox->config())),
        ]), true, 16, JSON_THROW_ON_ERROR);
        self::assertSame([], $report['lost']);
        self::assertGreaterThan(0, $report[$ends]);
    }

    /** @return array<string, array{int, string}> */
    public static function ends(): array
    {
        return [
            'with a response' => [0, 'kept'],
            'with an error' => [1000, 'failed'],
        ];
    }

    /** @dataProvider pieces */
    public function testAHandlerThatThrowsAroundACallLosesNothing(string $piece): void
    {
        $thrown = Php::output([PHP_BINARY, __DIR__ . '/fixtures/signals_around_calls.php', $piece, '2000'], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
        ]);
        self::assertSame('2000', $thrown);
    }

    /** @return array<string, array{string}> */
    public static function pieces(): array
    {
        $pieces = ['end', 'bytes', 'conversion', 'picture', 'refusal', 'tool'];
        return array_map(static fn (string $piece): array => [$piece], array_combine($pieces, $pieces));
    }

    public function testACallbackMayRunHandlersThatEndTheCall(): void
    {
        $thrown = self::throwsOnSignal();
        $client = self::watched(static function (string $place): void {
            if ($place === 'load') {
                posix_kill((int) getmypid(), SIGUSR1);
                pcntl_signal_dispatch();
            }
        });
        $error = self::failed($client);
        self::assertNotInstanceOf(UnknownOutcome::class, $error);
        self::assertSame($thrown, $error->getPrevious());
        self::assertSame([], self::$sandbox->requests('create_payment'));
        self::assertTrue(pcntl_async_signals());
    }

    public function testAHandlerThatThrowsInAnObserverEndsNoCall(): void
    {
        $thrown = self::throwsOnSignal();
        $client = self::client(static function (array $event): void {
            if ($event['event'] === 'attempt') {
                posix_kill((int) getmypid(), SIGUSR1);
                pcntl_signal_dispatch();
            }
        });
        $logged = ErrorLog::during(static function () use ($client): void {
            self::assertSame('PE', $client->createPayment(Samples::payment())->status());
        });
        self::assertStringContainsString("threw DomainException at {$thrown->getFile()}:", $logged);
    }

    public function testAnExceptionOfACallbackComesBeforeThatOfAHandler(): void
    {
        $second = self::throwsOnSignal();
        $first = new \RuntimeException('of the store');
        $client = self::watched(static function (string $place) use ($first): void {
            if ($place === 'load') {
                posix_kill((int) getmypid(), SIGUSR1);
                throw $first;
            }
        });
        $error = self::failed($client);
        self::assertSame($first, $error->getPrevious());
        self::assertSame($second, $first->getPrevious());
    }

    /**
     * @dataProvider sent
     * @param \Closure(Client, string): mixed $call is given the hash of a payment
     */
    public function testAnExceptionAfterTheResponseNamesItsReference(\Closure $call): void
    {
        $hash = (new Client(self::$sandbox->config()))->createPayment(Samples::payment())->hash();
        self::$sandbox->text('POST', "/sandbox/payments/$hash/confirm");
        $nobody = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x'], shared: false);
        // The core's error for the same request.
        $expected = self::failed($nobody, ConnectException::class, $call, $hash);
        self::assertNotNull($expected->getReference());
        self::throwsOnSignal();
        $client = self::client(static function (array $event): void {
            $event['event'] !== 'request_ended' || posix_kill((int) getmypid(), SIGUSR1);
        });
        $error = self::failed($client, ExecutedCancelledException::class, $call, $hash);
        self::assertSame(200, $error->getResponse()->httpStatus());
        self::assertSame($expected->getOperation(), $error->getOperation());
        self::assertSame($expected->getReference(), $error->getReference());
    }

    /** @return array<string, array{\Closure(Client, string): mixed}> */
    public static function sent(): array
    {
        $payment = Samples::payment(['merchant_payment_code' => 'ordem "ü"']);
        $code = ['merchant_payment_code' => 'order-1001'];
        $samples = json_decode((string) file_get_contents(Repository::shared('samples.json')), true);
        [$payout, $tracking] = [$samples['pix_payout'], $samples['tracking']];
        return [
            'a payment' => [static fn (Client $of): mixed => $of->createPayment($payment)],
            'as text' => [static fn (Client $of): mixed => $of->call('create_payment', (string) json_encode($payment))],
            'a query' => [static fn (Client $of): mixed => $of->queryPayment($code)],
            'a query by hash' => [static fn (Client $of, string $hash): mixed => $of->queryPayment(['hash' => $hash])],
            'a refund' => [static fn (Client $of, string $hash): mixed => $of->refundPayment(['hash' => $hash])],
            'a payout' => [static fn (Client $of): mixed => $of->createPayout($payout)],
            'tracking codes' => [static fn (Client $of): mixed => $of->registerTracking($tracking)],
            'other bytes' => [static fn (Client $of): mixed => $of->send('POST', '/ws/x', '{}', reference: 'x-7')],
        ];
    }

    public function testACallOfACallbackLeavesSignalsToTheOuterCall(): void
    {
        self::throwsOnSignal();
        $other = self::client(static function (): void {
        });
        $inner = null;
        $client = self::client(static function (array $event) use ($other, &$inner): void {
            if ($event['event'] === 'request_started') {
                posix_kill((int) getmypid(), SIGUSR1);
                $inner = $other->accessToken()->accessToken();
            }
        });
        $error = self::failed($client);
        self::assertIsString($inner);
        self::assertInstanceOf(ExecutedCancelledException::class, $error);
        self::assertSame('PE', $error->getResponse()->status());
    }

    public function testAHandlerThatThrowsBeforeSendingLeavesNothingUnknown(): void
    {
        $thrown = self::throwsOnSignal();
        $client = self::client(static function (array $event): void {
            if ($event['event'] === 'token_fetched') {
                posix_kill((int) getmypid(), SIGUSR1);
            }
        });
        try {
            $client->accessToken();
            self::fail('the call succeeded');
        } catch (CancelledException $error) {
            self::assertNotInstanceOf(UnknownOutcome::class, $error);
            self::assertSame('interrupted_after_response', $error->getErrorCode());
            self::assertSame($thrown, $error->getPrevious());
        }
    }

    public function testAHandlerThatThrowsWhileAClientIsMade(): void
    {
        $thrown = self::throwsOnSignal();
        $signer = $this->createMock(Signer::class);
        $signer->method('kid')->willReturnCallback(static function (): string {
            posix_kill((int) getmypid(), SIGUSR1);
            return 'kid';
        });
        try {
            new Client(['base_url' => 'http://127.0.0.1:1'], signer: $signer);
            self::fail('it was made');
        } catch (\DomainException $error) {
            self::assertSame($thrown, $error);
        }
        self::assertTrue(pcntl_async_signals());
    }

    /** A handler of SIGUSR1 throws this. */
    private static function throwsOnSignal(): \Throwable
    {
        $thrown = new \DomainException('of the handler');
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, static fn (): mixed => throw $thrown);
        return $thrown;
    }

    private static function client(\Closure $observer): Client
    {
        return new Client(self::$sandbox->config(), observer: $observer, shared: false);
    }

    private static function watched(\Closure $at): Client
    {
        return Watched::client(self::$sandbox->config(), self::$sandbox->kid(), $at);
    }

    /**
     * @template T of PaymentsException
     * @param class-string<T> $class
     * @param ?\Closure(Client, string): mixed $call a payment by default
     * @return T
     */
    private static function failed(
        Client $client,
        string $class = CancelledException::class,
        ?\Closure $call = null,
        string $hash = '',
    ): PaymentsException {
        try {
            $call === null ? $client->createPayment(Samples::payment()) : $call($client, $hash);
        } catch (PaymentsException $error) {
            self::assertInstanceOf($class, $error);
            return $error;
        }
        self::fail('the call succeeded');
    }

    /**
     * A payment by its own process, which gets a signal in the meantime.
     *
     * @return array<string, mixed>
     */
    private static function pay(string $client, string $handler, string $isAsync = '1'): array
    {
        $folder = new Folder();
        $command = [PHP_BINARY, __DIR__ . '/fixtures/signals.php', $client, $handler, $isAsync];
        $report = json_decode(Php::output($command, [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $folder->file('config.json', (string) json_encode(self::$sandbox->config())),
        ]), true, 16, JSON_THROW_ON_ERROR);
        self::assertSame(0, $report['child'], 'the request was seen, and the signal sent');
        return $report;
    }
}
