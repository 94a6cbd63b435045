<?php

declare(strict_types=1);

namespace OpenTelemetry\Context;

/**
 * Stands in for the interface of OpenTelemetry.
 */
interface ContextInterface
{
}
