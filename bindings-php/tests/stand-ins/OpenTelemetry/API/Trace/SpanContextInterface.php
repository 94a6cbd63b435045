<?php

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

/**
 * Stands in for the interface of OpenTelemetry, with the methods that the package calls.
 */
interface SpanContextInterface
{
    public function isValid(): bool;

    public function getTraceId(): string;

    public function getSpanId(): string;

    public function getTraceFlags(): int;
}
