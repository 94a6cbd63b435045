<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support\Telemetry;

use OpenTelemetry\API\Trace\SpanBuilderInterface;
use OpenTelemetry\API\Trace\SpanContextInterface;
use OpenTelemetry\API\Trace\SpanInterface;
use OpenTelemetry\Context\ContextInterface;

/**
 * A span, its builder, its identity and the context that holds it, in one.
 */
final class Span implements SpanBuilderInterface, SpanInterface, SpanContextInterface, ContextInterface
{
    public ?self $parent = null;
    public ?int $kind = null;
    public int $began;
    public bool $hasEnded = false;

    /** @var array<string, mixed> */
    public array $attributes = [];

    /** @var list<array{string, array<string, mixed>}> */
    public array $events = [];

    /** @var ?array{string, ?string} */
    public ?array $status = null;

    public function __construct(public string $name)
    {
        $this->began = (int) (microtime(true) * 1e9);
    }

    public function setStartTimestamp(int $timestampNanos): self
    {
        $this->began = $timestampNanos;
        return $this;
    }

    public function setParent(ContextInterface|false|null $context): self
    {
        $this->parent = $context instanceof self ? $context : null;
        return $this;
    }

    public function setSpanKind(int $spanKind): self
    {
        $this->kind = $spanKind;
        return $this;
    }

    public function startSpan(): self
    {
        return $this;
    }

    public function getContext(): SpanContextInterface
    {
        return $this;
    }

    public function isValid(): bool
    {
        return true;
    }

    public function getTraceId(): string
    {
        return md5('trace');
    }

    public function getSpanId(): string
    {
        return sprintf('%016x', spl_object_id($this));
    }

    public function getTraceFlags(): int
    {
        return 1;
    }

    public function storeInContext(ContextInterface $context): ContextInterface
    {
        return $this;
    }

    public function setAttribute(string $key, bool|int|float|string|array|null $value): self
    {
        return $this->setAttributes([$key => $value]);
    }

    public function setAttributes(iterable $attributes): self
    {
        foreach ($attributes as $name => $value) {
            $this->attributes[$name] = $value;
        }
        return $this;
    }

    public function addEvent(string $name, iterable $attributes = []): self
    {
        $this->events[] = [$name, $attributes];
        return $this;
    }

    public function setStatus(string $code, ?string $description = null): self
    {
        $this->status = [$code, $description];
        return $this;
    }

    public function end(): void
    {
        $this->hasEnded = true;
    }
}
