<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `transport`: the connection broke.
 */
class TransportException extends PaymentsException
{
}
