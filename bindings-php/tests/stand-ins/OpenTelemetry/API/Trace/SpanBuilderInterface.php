<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

use OpenTelemetry\Context\ContextInterface;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface SpanBuilderInterface
{
    public function setParent(ContextInterface|false|null $context): SpanBuilderInterface;

    /** @param iterable<string, mixed> $attributes */
    public function setAttributes(iterable $attributes): SpanBuilderInterface;

    public function setStartTimestamp(int $timestampNanos): SpanBuilderInterface;

    public function setSpanKind(int $spanKind): SpanBuilderInterface;

    public function startSpan(): SpanInterface;
}
