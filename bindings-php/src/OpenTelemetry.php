<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Events\CallSpans;
use OpenTelemetry\API\Globals;
use OpenTelemetry\API\Metrics\CounterInterface;
use OpenTelemetry\API\Metrics\HistogramInterface;
use OpenTelemetry\API\Metrics\MeterProviderInterface;
use OpenTelemetry\API\Trace\TracerInterface;
use OpenTelemetry\API\Trace\TracerProviderInterface;

/**
 * An observer that turns events into spans and metrics of OpenTelemetry:
 *
 *     $client = Client::fromFile('payments.json', observer: new OpenTelemetry());
 *
 * Each call is a span, a child of the span that is current where the call is
 * made; each attempt and each token request is a child of it. No attribute has
 * a secret, payer data or a query string. docs/telemetry.md lists the names.
 *
 * It needs the package `open-telemetry/api`. Several clients may have the same
 * observer, in fibers too.
 */
final class OpenTelemetry
{
    private const SCOPE = 'libpayments';

    /** Seconds: a payment takes longer than most requests. */
    private const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60];

    private TracerInterface $tracer;
    private CounterInterface $calls;
    private HistogramInterface $durations;
    private CounterInterface $tokens;

    /** @var array<int, CallSpans> the open spans, by the number of the call */
    private array $open = [];

    /**
     * Uses these providers, or those of the process. With `$propagateTrace`,
     * requests to the service carry the header `traceparent` of the call's span;
     * the interface does not state it.
     */
    public function __construct(
        ?TracerProviderInterface $tracers = null,
        ?MeterProviderInterface $meters = null,
        private bool $propagateTrace = false,
    ) {
        $this->tracer = ($tracers ?? Globals::tracerProvider())->getTracer(self::SCOPE);
        $meter = ($meters ?? Globals::meterProvider())->getMeter(self::SCOPE);
        $this->calls = $meter->createCounter('payments.calls', '{call}', 'Calls that ended.');
        $this->durations = $meter->createHistogram(
            'payments.call.duration',
            's',
            'How long calls took, with token, signature and all attempts.',
            ['ExplicitBucketBoundaries' => self::BOUNDARIES],
        );
        $this->tokens = $meter->createCounter('payments.tokens', '{token}', 'Requests to the token server that ended.');
    }

    /**
     * Records an event.
     *
     * @param array<string, mixed> $event
     */
    public function __invoke(array $event): void
    {
        $call = $event['call'];
        $spans = $this->open[$call] ??= new CallSpans($this->tracer, $this->innermost());
        match ($event['event']) {
            'request_started' => $spans->beginCall($event),
            'attempt' => $spans->beginAttempt($event['number']),
            'attempt_ended' => $spans->endAttempt($event['http_status'], $event['kind']),
            'token_requested' => $spans->requestToken($event['host']),
            'token_fetched', 'token_failed' => $this->endToken($spans, $event),
            'request_ended' => $this->endCall($spans, $event),
            default => $spans->note($event),
        };
        if ($spans->isEmpty()) {
            unset($this->open[$call]);
        }
    }

    /**
     * The `traceparent` of the innermost call.
     *
     * @internal
     */
    public function traceparent(): ?string
    {
        return $this->propagateTrace ? $this->innermost()?->traceparent() : null;
    }

    /** The last call that this fiber began: a callback may use another observed client. */
    private function innermost(): ?CallSpans
    {
        $innermost = null;
        foreach ($this->open as $spans) {
            $innermost = $spans->isOfCurrentFiber() ? $spans : $innermost;
        }
        return $innermost;
    }

    /** @param array<string, mixed> $event */
    private function endToken(CallSpans $spans, array $event): void
    {
        $kind = $event['kind'] ?? null;
        $spans->endToken($event['duration_us'] ?? 0, $kind);
        $this->tokens->add(1, $kind === null ? [] : ['error.type' => $kind]);
    }

    /** @param array<string, mixed> $event */
    private function endCall(CallSpans $spans, array $event): void
    {
        $result = array_filter([
            'payments.operation' => $event['operation'],
            'payments.outcome' => $event['outcome'],
            'http.response.status_code' => $event['http_status'],
            'error.type' => $event['kind'],
        ], static fn (mixed $value): bool => $value !== null);
        $this->calls->add(1, $result);
        $this->durations->record($event['duration_us'] / 1e6, $result);
        $spans->endCall($result, $event);
    }
}
