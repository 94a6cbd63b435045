<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Metrics;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface MeterInterface
{
    /** @param array<string, mixed> $advisory */
    public function createCounter(
        string $name,
        ?string $unit = null,
        ?string $description = null,
        array $advisory = [],
    ): CounterInterface;

    /** @param array<string, mixed> $advisory */
    public function createHistogram(
        string $name,
        ?string $unit = null,
        ?string $description = null,
        array $advisory = [],
    ): HistogramInterface;
}
