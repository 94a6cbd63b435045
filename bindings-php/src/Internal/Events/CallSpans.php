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
 * The open spans of one call.
 *
 * @internal
 */
final class CallSpans
{
    /** Members of the span itself, and texts of a store or a journal, which may contain anything. */
    private const LEFT_OUT = ['event' => true, 'call' => true, 'reference' => true, 'hash' => true, 'reason' => true];

    /** `access_token` and `prepare` have no span. */
    private ?SpanInterface $span = null;

    /** @var array<string, mixed> the attributes that the attempts repeat */
    private array $attributes = [];

    private ?SpanInterface $attempt = null;
    private string $tokenHost = '';

    /** @var \WeakReference<object>|null */
    private ?\WeakReference $fiber;

    /** Without a call around it, the parent is the caller's current span. */
    public function __construct(private TracerInterface $tracer, private ?self $outer)
    {
        $fiber = \Fiber::getCurrent();
        $this->fiber = $fiber === null ? null : \WeakReference::create($fiber);
    }

    public function isEmpty(): bool
    {
        return $this->span === null && $this->tokenHost === '';
    }

    public function isOfCurrentFiber(): bool
    {
        return $this->fiber?->get() === \Fiber::getCurrent();
    }

    public function traceparent(): ?string
    {
        $context = $this->span?->getContext();
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
        $builder = $this->builder("payments {$event['operation']}", SpanKind::KIND_INTERNAL, $attributes);
        $this->span = $builder->startSpan();
        $this->attributes = $attributes;
        $this->setIfKnown(['payments.reference' => $event['reference'], 'payments.hash' => $event['hash']]);
    }

    public function beginAttempt(int $number): void
    {
        $attributes = $this->attributes;
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
        foreach (array_diff_key($event, self::LEFT_OUT) as $name => $value) {
            if ($value !== null) {
                $attributes["payments.$name"] = $value;
            }
        }
        $this->span?->addEvent("payments.{$event['event']}", $attributes);
    }

    /**
     * @param array<string, mixed> $result attributes
     * @param array<string, mixed> $event
     */
    public function endCall(array $result, array $event): void
    {
        // A call that was cancelled leaves it open.
        $this->endAttempt(null, $event['kind']);
        $this->span?->setAttributes($result + [
            'payments.attempts' => $event['attempts'],
            'payments.signing_us' => $event['signing_us'],
        ]);
        $this->setIfKnown(['payments.hash' => $event['hash']]);
        $description = $event['code'] === null ? null : "{$event['code']}, {$event['outcome']}";
        self::end($this->span, $event['kind'], $description);
        $this->span = null;
    }

    /** @param array<string, ?string> $attributes */
    private function setIfKnown(array $attributes): void
    {
        foreach ($attributes as $name => $value) {
            if ($value !== null) {
                $this->span?->setAttribute($name, $value);
            }
        }
    }

    /** @param array<string, mixed> $attributes */
    private function builder(string $name, int $kind, array $attributes): SpanBuilderInterface
    {
        $builder = $this->tracer->spanBuilder($name)->setSpanKind($kind)->setAttributes($attributes);
        $parent = $this->span ?? $this->outer?->span;
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
