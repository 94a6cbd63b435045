<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\OpenTelemetry;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\Telemetry\Exporter;
use Libpayments\Tests\Support\Telemetry\Span;
use OpenTelemetry\API\Globals;
use OpenTelemetry\API\Trace\SpanKind;
use PHPUnit\Framework\TestCase;

/**
 * Spans and metrics, as an exporter in memory receives them from stand-ins of
 * OpenTelemetry's interfaces.
 */
final class OpenTelemetryTest extends TestCase
{
    private const QUERY = ['merchant_payment_code' => 'order-1001'];

    private static Sandbox $sandbox;

    private Exporter $exporter;
    private OpenTelemetry $observer;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->exporter = new Exporter();
        $this->observer = new OpenTelemetry($this->exporter, $this->exporter);
    }

    public function testCallsAndTokensAreCounted(): void
    {
        $client = $this->client();
        $client->createPayment(Samples::payment());
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $next = Samples::payment(['merchant_payment_code' => 'order-2']);
        self::failure(static fn () => $client->createPayment($next));
        self::$sandbox->text('POST', '/sandbox/tokens/block', ['status' => 429, 'retry_after' => 30]);
        self::failure(fn () => $this->client(['client_id' => 'another'])->accessToken());
        $paid = ['payments.operation' => 'create_payment', 'http.response.status_code' => 200];
        $failed = ['payments.operation' => 'create_payment', 'payments.outcome' => 'unknown',
            'error.type' => 'transport'];
        self::assertEquals([$paid, $failed], $this->exporter->attributes('payments.calls'));
        self::assertEquals([$paid, $failed], $this->exporter->attributes('payments.call.duration'));
        self::assertSame([[], ['error.type' => 'token']], $this->exporter->attributes('payments.tokens'));
        foreach (['payments.calls', 'payments.tokens'] as $counter) {
            self::assertSame([1, 1], array_column($this->exporter->instruments[$counter]->values, 0));
        }
        foreach ($this->exporter->instruments['payments.call.duration']->values as [$seconds]) {
            self::assertGreaterThan(0.0, $seconds);
            self::assertLessThan(60.0, $seconds);
        }
        self::assertSame(
            ['payments.calls' => '{call}', 'payments.call.duration' => 's', 'payments.tokens' => '{token}'],
            array_map(static fn ($instrument): ?string => $instrument->unit, $this->exporter->instruments),
        );
    }

    public function testACallInACallbackOfAnotherIsItsChild(): void
    {
        $inner = $this->client();
        $inner->accessToken();
        $this->exporter->spans = [];
        $key = (string) file_get_contents(Repository::key('test_rsa_4096_pkcs8.pem'));
        $signer = new CallbackSigner(self::$sandbox->kid(), function ($input) use ($inner, $key): string {
            self::failure(static fn () => $inner->queryPayment(['merchant_payment_code' => 'none']));
            openssl_sign($input->bytes(), $signature, $key, OPENSSL_ALGO_SHA256);
            return $signature;
        });
        $config = array_diff_key(self::$sandbox->config(), ['key' => 0, 'key_file' => 0, 'kid' => 0]);
        $outer = new Client($config, signer: $signer, observer: $this->observer);
        $outer->createPayment(Samples::payment());
        [$call, $nested] = $this->exporter->spans;
        self::assertSame(
            ['payments create_payment', 'payments query_payment', $call],
            [$call->name, $nested->name, $nested->parent],
        );
        $last = end($this->exporter->spans);
        self::assertSame(['POST', $call], [$last->name, $last->parent]);
        self::assertSame([], $this->exporter->open());
    }

    public function testTheHeaderNamesTheSpanOfTheCall(): void
    {
        $this->client()->createPayment(Samples::payment());
        $observer = new OpenTelemetry($this->exporter, $this->exporter, propagateTrace: true);
        $client = new Client(self::$sandbox->config(), observer: $observer);
        $this->exporter->spans = [];
        self::failure(static fn () => $client->createPayment(['payment' => []]));
        $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-2']));
        $traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
        $client->queryPayment(self::QUERY, traceparent: $traceparent);
        $calls = array_values(array_filter(
            $this->exporter->spans,
            static fn (Span $span): bool => $span->kind === SpanKind::KIND_INTERNAL && $span->hasEnded,
        ));
        self::assertSame(
            ['payments create_payment', 'payments query_payment'],
            array_column($calls, 'name'),
        );
        self::assertSame('/ws/direct', $calls[0]->attributes['url.path']);
        $own = "00-{$calls[0]->getTraceId()}-{$calls[0]->getSpanId()}-01";
        self::assertSame([null, $own], self::headers('create_payment'));
        self::assertSame([$traceparent], self::headers('query_payment'));
        self::assertSame([null], self::headers('access_token'));
    }

    public function testEachQueryOfAWaitNamesItsOwnSpan(): void
    {
        $this->client()->createPayment(Samples::payment());
        $this->exporter->spans = [];
        $observer = new OpenTelemetry($this->exporter, $this->exporter, propagateTrace: true);
        // Long enough for a second query.
        (new Client(self::$sandbox->config(), observer: $observer))->waitForPayment(self::QUERY, timeoutMs: 3500);
        $own = [];
        foreach ($this->exporter->spans as $span) {
            if ($span->name === 'payments query_payment') {
                $own[] = "00-{$span->getTraceId()}-{$span->getSpanId()}-01";
            }
        }
        self::assertGreaterThan(1, count(array_unique($own)));
        self::assertSame($own, self::headers('query_payment'));
    }

    /** @return list<?string> */
    private static function headers(string $operation): array
    {
        return array_map(static function (array $request): ?string {
            $headers = array_change_key_case(array_column($request['headers'], 1, 0));
            return $headers['traceparent'] ?? null;
        }, self::$sandbox->requests($operation));
    }

    public function testThePageNamesEverySpanAttributeAndMetric(): void
    {
        $client = $this->client();
        $client->createPayment(Samples::payment());
        self::$sandbox->fault('query_payment', ['fault' => 'response', 'status' => 503]);
        $client->queryPayment(self::QUERY);
        self::$sandbox->fault('create_payment', ['fault' => 'close']);
        self::failure(
            static fn () => $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-2'])),
        );
        $page = (string) file_get_contents(Repository::root() . '/docs/telemetry.md');
        preg_match_all('/`([a-z]+(?:\.[a-z_]+)+)`/', $page, $named);
        $names = array_keys($this->exporter->instruments);
        foreach ($this->exporter->spans as $span) {
            array_push($names, ...array_keys($span->attributes), ...array_column($span->events, 0));
        }
        self::assertSame([], array_values(array_diff(array_unique($names), $named[1])));
        $others = ['payments.token_invalidated', 'payments.token_kept', 'payments.store_bypassed',
            'payments.journal_failed', 'payments.duration_us' /* Rust's */];
        self::assertSame([], array_values(array_diff(array_unique($named[1]), $names, $others)));
    }

    public function testTheProvidersOfTheProcessAreTheDefault(): void
    {
        Globals::$tracers = Globals::$meters = $this->exporter;
        $client = new Client(self::$sandbox->config(), observer: new OpenTelemetry());
        $client->createPayment(Samples::payment());
        self::assertCount(3, $this->exporter->spans);
    }

    /** @param array<string, string> $members */
    private function client(array $members = []): Client
    {
        return new Client($members + self::$sandbox->config(), observer: $this->observer);
    }

    private static function failure(\Closure $call): PaymentsException
    {
        try {
            $call();
        } catch (PaymentsException $error) {
            return $error;
        }
        self::fail('the call succeeded');
    }
}
