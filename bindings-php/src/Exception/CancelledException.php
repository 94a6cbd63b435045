<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `cancelled`: the caller cancelled the call. The code `interrupted_after_response`
 * means that the response was complete: `getResponse()` has it.
 */
class CancelledException extends PaymentsException
{
}
