<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

/**
 * Stands in for the interface of OpenTelemetry, with the constant that the package uses.
 */
interface StatusCode
{
    public const STATUS_ERROR = 'Error';
}
