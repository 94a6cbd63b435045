<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

/**
 * Stands in for the interface of OpenTelemetry, with the constants that the package uses.
 */
interface SpanKind
{
    public const KIND_INTERNAL = 0;
    public const KIND_CLIENT = 1;
}
