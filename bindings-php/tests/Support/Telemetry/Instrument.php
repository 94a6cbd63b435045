<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support\Telemetry;

use OpenTelemetry\API\Metrics\CounterInterface;
use OpenTelemetry\API\Metrics\HistogramInterface;

/**
 * A counter or a histogram that keeps its values.
 */
final class Instrument implements CounterInterface, HistogramInterface
{
    /** @var list<array{float|int, array<string, mixed>}> */
    public array $values = [];

    public function __construct(public ?string $unit)
    {
    }

    public function add(float|int $amount, iterable $attributes = []): void
    {
        $this->values[] = [$amount, $attributes];
    }

    public function record(float|int $amount, iterable $attributes = []): void
    {
        $this->values[] = [$amount, $attributes];
    }
}
