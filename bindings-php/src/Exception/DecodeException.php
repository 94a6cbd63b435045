<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `decode`: a successful response is not what the operation promises.
 */
class DecodeException extends PaymentsException
{
}
