<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `cancelled`: the caller cancelled the call. The code `interrupted_after_response`
 * means that the response was complete: `getResponse()` has it.
 */
class CancelledException extends PaymentsException
{
}
