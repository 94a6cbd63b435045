<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Metrics;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface CounterInterface
{
    /** @param iterable<string, mixed> $attributes */
    public function add(float|int $amount, iterable $attributes = []): void;
}
