<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `protocol`: the response is not HTTP, is a redirect, or is about another payment.
 */
class ProtocolException extends PaymentsException
{
}
