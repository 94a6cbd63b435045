<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Metrics;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface MeterProviderInterface
{
    public function getMeter(string $name): MeterInterface;
}
