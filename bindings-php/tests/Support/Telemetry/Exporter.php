<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support\Telemetry;

use OpenTelemetry\API\Metrics\CounterInterface;
use OpenTelemetry\API\Metrics\HistogramInterface;
use OpenTelemetry\API\Metrics\MeterInterface;
use OpenTelemetry\API\Metrics\MeterProviderInterface;
use OpenTelemetry\API\Trace\SpanBuilderInterface;
use OpenTelemetry\API\Trace\TracerInterface;
use OpenTelemetry\API\Trace\TracerProviderInterface;

/**
 * Providers, tracer and meter in one, which keep spans and instruments in memory.
 */
final class Exporter implements TracerProviderInterface, TracerInterface, MeterProviderInterface, MeterInterface
{
    /** @var list<Span> in the order in which they began */
    public array $spans = [];

    /** @var array<string, Instrument> */
    public array $instruments = [];

    public function getTracer(string $name): TracerInterface
    {
        return $this;
    }

    public function getMeter(string $name): MeterInterface
    {
        return $this;
    }

    public function spanBuilder(string $spanName): SpanBuilderInterface
    {
        return $this->spans[] = new Span($spanName);
    }

    public function createCounter(
        string $name,
        ?string $unit = null,
        ?string $description = null,
        array $advisory = [],
    ): CounterInterface {
        return $this->instruments[$name] = new Instrument($unit);
    }

    public function createHistogram(
        string $name,
        ?string $unit = null,
        ?string $description = null,
        array $advisory = [],
    ): HistogramInterface {
        return $this->instruments[$name] = new Instrument($unit);
    }

    /** @return list<string> names of the spans that were never ended */
    public function open(): array
    {
        $open = array_filter($this->spans, static fn (Span $span): bool => !$span->hasEnded);
        return array_values(array_map(static fn (Span $span): string => $span->name, $open));
    }

    /** @return list<array<string, mixed>> the attributes of all values of an instrument */
    public function attributes(string $instrument): array
    {
        return array_column($this->instruments[$instrument]->values, 1);
    }
}
