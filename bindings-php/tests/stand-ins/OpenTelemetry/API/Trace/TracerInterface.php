<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface TracerInterface
{
    public function spanBuilder(string $spanName): SpanBuilderInterface;
}
