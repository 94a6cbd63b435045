<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

use OpenTelemetry\Context\ContextInterface;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface SpanInterface
{
    public function getContext(): SpanContextInterface;

    public function storeInContext(ContextInterface $context): ContextInterface;

    public function setAttribute(string $key, bool|int|float|string|array|null $value): SpanInterface;

    /** @param iterable<string, mixed> $attributes */
    public function setAttributes(iterable $attributes): SpanInterface;

    /** @param iterable<string, mixed> $attributes */
    public function addEvent(string $name, iterable $attributes = []): SpanInterface;

    public function setStatus(string $code, ?string $description = null): SpanInterface;

    public function end(): void;
}
