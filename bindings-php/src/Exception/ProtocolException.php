<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `protocol`: the response is not HTTP, is a redirect, or is about another payment.
 */
class ProtocolException extends PaymentsException
{
}
