<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use GuzzleHttp\Client as Http;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use Libpayments\Client;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\ConnectException;
use Libpayments\Exception\InternalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\TimeoutException;
use Libpayments\Exception\Unknown\UnknownTransportException;
use Libpayments\Guzzle;
use Libpayments\OpenCall;
use Libpayments\PaymentResponse;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Calls whose request another HTTP client sends.
 */
final class OpenCallsTest extends TestCase
{
    private const CREATED = '{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}';

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        require_once 'GuzzleHttp/autoload.php';
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testAResponseEndsACallOnce(): void
    {
        $call = $this->begun();
        self::assertSame('POST', $call->request()->method());
        self::assertGreaterThan(0, $call->remainingMs());
        self::assertGreaterThan(0, $call->maxResponseBytes());
        $response = $call->finish(200, ['Content-Type' => ['application/json'], 'x' => 'y'], self::CREATED);
        self::assertInstanceOf(PaymentResponse::class, $response);
        self::assertSame('5f2c', $response->hash());
        foreach ([fn () => $call->finish(200, [], self::CREATED), fn () => $call->fail(true)] as $end) {
            $error = self::thrown($end);
            self::assertInstanceOf(InternalException::class, $error);
            self::assertSame('already_ended', $error->getErrorCode());
            self::assertSame(PaymentsException::UNKNOWN, $error->getOutcome());
            self::assertSame('order-1001', $error->getReference());
        }
    }

    public function testTheEntryIsThereBeforeTheRequest(): void
    {
        $folder = new Folder();
        $path = $folder->file('books/journal.db');
        Client::createJournal($path);
        $client = new Client(['journal' => "file:$path"] + self::$sandbox->config());
        $states = static fn (): array => array_map(
            static fn ($entry): string => $entry->state,
            iterator_to_array($client->journal()->list(), false),
        );
        $call = $client->begin('create_payment', Samples::payment());
        self::assertSame(['in_progress'], $states());
        $cause = new \RuntimeException('refused');
        $error = self::thrown(static fn () => $call->fail(nothingLeft: true, cause: $cause));
        self::assertInstanceOf(ConnectException::class, $error);
        self::assertSame([PaymentsException::NOT_EXECUTED, $cause], [$error->getOutcome(), $error->getPrevious()]);
        self::assertSame(['failed'], $states());
        $other = $client->begin('create_payment', Samples::payment());
        $error = self::thrown(static fn () => $other->fail(nothingLeft: false));
        self::assertInstanceOf(UnknownTransportException::class, $error);
        self::assertSame(['failed', 'unknown'], $states());
    }

    /** @dataProvider journals */
    public function testACallThatAHandlerKeepsFromItsCallerLeavesNoOpenEntry(bool $isOwn): void
    {
        $folder = new Folder();
        $path = $folder->file('books/journal.db');
        $config = self::$sandbox->config();
        $books = null;
        if ($isOwn) {
            $books = new PdoJournal(static fn (): \PDO => new \PDO("sqlite:{$folder->file('own.db')}"));
            $books->create();
        } else {
            Client::createJournal($path);
            $config['journal'] = "file:$path";
        }
        $events = [];
        $isFirst = true;
        $observer = static function (array $event) use (&$events, &$isFirst): void {
            $events[] = $event['event'];
            if ($event['event'] === 'attempt' && $isFirst) {
                $isFirst = false;
                // Its handler runs when the call has begun.
                posix_kill((int) getmypid(), SIGUSR1);
            }
        };
        $client = new Client($config, observer: $observer, journal: $books, shared: false);
        $thrown = new \DomainException('of the handler');
        $wasAsync = pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, static fn (): mixed => throw $thrown);
        try {
            $error = self::thrown(static fn () => $client->begin('create_payment', Samples::payment()));
        } finally {
            pcntl_signal(SIGUSR1, SIG_DFL);
            pcntl_async_signals($wasAsync);
        }
        self::assertInstanceOf(CancelledException::class, $error);
        self::assertSame([$thrown, 'handler_threw'], [$error->getPrevious(), $error->getErrorCode()]);
        self::assertSame(['order-1001', 'not_executed'], [$error->getReference(), $error->getOutcome()]);
        [$entry] = iterator_to_array($client->journal()->list(), false);
        self::assertSame(['failed', 'cancelled'], [$entry->state, $entry->kind]);
        self::assertSame(['attempt_ended', 'request_ended'], array_slice($events, -2));
        self::assertInstanceOf(OpenCall::class, $client->begin('create_payment', Samples::payment()));
    }

    /** @return array<string, array{bool}> */
    public static function journals(): array
    {
        return ['in a file' => [false], 'in PHP' => [true]];
    }

    public function testACallOutlivesItsClientAndItsDumpsShowNothing(): void
    {
        $client = new Client(self::$sandbox->config(), shared: false);
        $call = $client->begin('create_payment', Samples::payment());
        unset($client);
        $dump = print_r($call, true) . var_export($call, true) . print_r((array) $call, true);
        foreach ($call->request()->headers() as [, $value]) {
            self::assertTrue(strlen($value) < 100 || !str_contains($dump, $value));
        }
        self::assertStringNotContainsString('Maria', $dump);
        self::assertSame('5f2c', $call->finish(200, [['a', 'b']], self::CREATED)->hash());
    }

    public function testWhatIsWrongEndsNothing(): void
    {
        $call = $this->begun();
        self::assertInstanceOf(\ValueError::class, self::thrown(static fn () => $call->finish(0, [], '')));
        $error = self::thrown(static fn () => $call->finish(200, [], substr(self::CREATED, 0, 9), complete: false));
        self::assertInstanceOf(UnknownTransportException::class, $error);
        self::assertSame(200, $error->getHttpStatus());
    }

    public function testACallCanEndWithinACallback(): void
    {
        $open = null;
        $hashes = [];
        $observer = static function (array $event) use (&$open, &$hashes): void {
            if ($event['event'] === 'request_started' && $open !== null) {
                [$call, $open] = [$open, null];
                $hashes[] = $call->finish(200, [], self::CREATED)->hash();
            }
        };
        $client = new Client(self::$sandbox->config(), observer: $observer);
        $open = $client->begin('create_payment', Samples::payment());
        $client->begin('create_payment', Samples::payment());
        self::assertSame(['5f2c'], $hashes);
    }

    public function testAQueryIsSentAgain(): void
    {
        $call = (new Client(self::$sandbox->config()))->begin('query_payment', ['hash' => '5f2c']);
        self::assertInstanceOf(OpenCall::class, $call->finish(503, [], ''));
    }

    public function testGuzzleAddsNothingOfItsOwn(): void
    {
        $http = $this->http([
            'headers' => ['X-Canary' => '1', 'Authorization' => 'canary'],
            'auth' => ['canary', '1'],
            'query' => ['canary' => '1'],
            'cookies' => true,
            'allow_redirects' => true,
        ]);
        self::assertSame('PE', Guzzle::send($this->begun(), $http)->status());
        [$request] = self::$sandbox->requests('create_payment');
        self::assertSame('verified', $request['signature']);
        self::assertStringNotContainsStringIgnoringCase('canary', (string) json_encode($request));
    }

    public function testGuzzleDoesNotStartAfterTheDeadline(): void
    {
        $call = $this->begun(timeoutMs: 800);
        while ($call->remainingMs() > 0) {
            usleep(1000);
        }
        $error = self::thrown(fn () => Guzzle::send($call, $this->http()));
        self::assertInstanceOf(TimeoutException::class, $error);
        self::assertSame(PaymentsException::NOT_EXECUTED, $error->getOutcome());
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testAMiddlewareThatSendsAgainProvesNothing(): void
    {
        $config = ['base_url' => 'http://127.0.0.1:1'] + self::$sandbox->config();
        $refused = fn (Http $http): \Throwable => self::thrown(
            fn () => Guzzle::send((new Client($config))->begin('create_payment', Samples::payment()), $http),
        );
        $error = $refused($this->http());
        self::assertInstanceOf(ConnectException::class, $error);
        self::assertStringContainsString('ConnectException', (string) $error->getPrevious()?->getMessage());
        $stack = HandlerStack::create();
        $stack->push(Middleware::retry(static fn (int $retries): bool => $retries < 1));
        self::assertInstanceOf(UnknownTransportException::class, $refused($this->http(['handler' => $stack])));
    }

    public function testWhatAMiddlewareThrowsSurfacesAndEndsTheCall(): void
    {
        $stack = HandlerStack::create();
        $thrown = new \DomainException('no');
        $stack->push(static fn (): \Closure => static fn () => throw $thrown);
        $call = $this->begun();
        self::assertSame($thrown, self::thrown(fn () => Guzzle::send($call, $this->http(['handler' => $stack]))));
        self::assertInstanceOf(InternalException::class, self::thrown(static fn () => $call->fail(true)));
    }

    private function begun(?int $timeoutMs = null): OpenCall
    {
        $client = new Client(self::$sandbox->config());
        return $client->begin('create_payment', Samples::payment(), timeoutMs: $timeoutMs);
    }

    /** @param array<string, mixed> $options */
    private function http(array $options = []): Http
    {
        return new Http($options + ['proxy' => '']);
    }

    private static function thrown(\Closure $act): \Throwable
    {
        try {
            $act();
        } catch (\Throwable $thrown) {
            return $thrown;
        }
        self::fail('nothing was thrown');
    }
}
