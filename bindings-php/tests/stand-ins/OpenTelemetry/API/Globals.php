<?php

declare(strict_types=1);

namespace OpenTelemetry\API;

use OpenTelemetry\API\Metrics\MeterProviderInterface;
use OpenTelemetry\API\Trace\TracerProviderInterface;

/**
 * Stands in for the class of OpenTelemetry: a test sets the providers.
 */
final class Globals
{
    public static TracerProviderInterface $tracers;
    public static MeterProviderInterface $meters;

    public static function tracerProvider(): TracerProviderInterface
    {
        return self::$tracers;
    }

    public static function meterProvider(): MeterProviderInterface
    {
        return self::$meters;
    }
}
