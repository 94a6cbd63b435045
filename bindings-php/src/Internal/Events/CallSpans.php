<?php

declare(strict_types=1);

namespace Libpayments\Internal\Events;

use OpenTelemetry\API\Trace\SpanBuilderInterface;
use OpenTelemetry\API\Trace\SpanInterface;
use OpenTelemetry\API\Trace\SpanKind;
use OpenTelemetry\API\Trace\StatusCode;
use OpenTelemetry\API\Trace\TracerInterface;
use OpenTelemetry\Context\Context;

/**
 * The open spans of the calls that one fiber makes. There are several calls if
 * a callback uses another observed client: the last one is the innermost.
 *
 * @internal
 */
final class CallSpans
{
    /** Members that are text of a store or a journal, which may contain anything. */
    private const FOREIGN_TEXT = ['event' => true, 'reason' => true];

    /** @var list<array{SpanInterface, array<string, mixed>}> spans with the attributes that their attempts repeat */
    private array $calls = [];

    private ?SpanInterface $attempt = null;
    private string $tokenHost = '';

    public function __construct(private TracerInterface $tracer)
    {
    }

    public function isEmpty(): bool
    {
        return $this->calls === [] && $this->tokenHost === '';
    }

    /** The `traceparent` of the innermost call. */
    public function traceparent(): ?string
    {
        $context = (end($this->calls)[0] ?? null)?->getContext();
        return $context?->isValid()
            ? sprintf('00-%s-%s-%02x', $context->getTraceId(), $context->getSpanId(), $context->getTraceFlags())
            : null;
    }

    /** @param array<string, mixed> $event */
    public function beginCall(array $event): void
    {
        $attributes = [
            'payments.operation' => $event['operation'],
            'http.request.method' => $event['method'],
            'url.path' => $event['path'],
        ] + self::server($event['host']);
        $span = $this->builder("payments {$event['operation']}", SpanKind::KIND_INTERNAL, $attributes)->startSpan();
        $this->calls[] = [$span, $attributes];
    }

    public function beginAttempt(int $number): void
    {
        $attributes = end($this->calls)[1] ?? [];
        if ($number > 1) {
            $attributes['http.request.resend_count'] = $number - 1;
        }
        $method = $attributes['http.request.method'] ?? 'HTTP';
        $this->attempt = $this->builder($method, SpanKind::KIND_CLIENT, $attributes)->startSpan();
    }

    public function endAttempt(?int $status, ?string $kind): void
    {
        if ($status !== null) {
            $this->attempt?->setAttribute('http.response.status_code', $status);
        }
        self::end($this->attempt, $kind ?? ($status >= 400 ? (string) $status : null));
        $this->attempt = null;
    }

    public function requestToken(string $host): void
    {
        $this->tokenHost = $host;
    }

    /** Events about tokens arrive when the locks are released, so the span began before. */
    public function endToken(int $durationUs, ?string $kind): void
    {
        $attributes = ['http.request.method' => 'POST'] + self::server($this->tokenHost);
        $this->tokenHost = '';
        $builder = $this->builder('payments token', SpanKind::KIND_CLIENT, $attributes);
        $began = (int) (microtime(true) * 1e6) - $durationUs;
        self::end($builder->setStartTimestamp(1000 * $began)->startSpan(), $kind);
    }

    /**
     * Adds an event to the span of the call.
     *
     * @param array<string, mixed> $event
     */
    public function note(array $event): void
    {
        $attributes = [];
        foreach (array_diff_key($event, self::FOREIGN_TEXT) as $name => $value) {
            if ($value !== null) {
                $attributes["payments.$name"] = $value;
            }
        }
        (end($this->calls)[0] ?? null)?->addEvent("payments.{$event['event']}", $attributes);
    }

    /**
     * @param array<string, mixed> $result attributes
     * @param array<string, mixed> $event
     */
    public function endCall(array $result, array $event): void
    {
        // A call that was cancelled leaves it open.
        $this->endAttempt(null, $event['kind']);
        [$span] = array_pop($this->calls) ?? [null];
        $span?->setAttributes($result + [
            'payments.attempts' => $event['attempts'],
            'payments.signing_us' => $event['signing_us'],
        ]);
        self::end($span, $event['kind'], $event['code'] === null ? null : "{$event['code']}, {$event['outcome']}");
    }

    /** @param array<string, mixed> $attributes */
    private function builder(string $name, int $kind, array $attributes): SpanBuilderInterface
    {
        $builder = $this->tracer->spanBuilder($name)->setSpanKind($kind)->setAttributes($attributes);
        $parent = end($this->calls)[0] ?? null;
        // Without a span of this package, the parent is the caller's current
        // span.
        if ($parent !== null) {
            $builder->setParent($parent->storeInContext(Context::getCurrent()));
        }
        return $builder;
    }

    private static function end(?SpanInterface $span, ?string $errorType, ?string $description = null): void
    {
        if ($errorType !== null) {
            $span?->setAttribute('error.type', $errorType)->setStatus(StatusCode::STATUS_ERROR, $description);
        }
        $span?->end();
    }

    /** @return array<string, string|int> */
    private static function server(string $host): array
    {
        return preg_match('/^(.+):(\d+)$/D', $host, $parts) === 1
            ? ['server.address' => trim($parts[1], '[]'), 'server.port' => (int) $parts[2]]
            : ['server.address' => trim($host, '[]')];
    }
}
