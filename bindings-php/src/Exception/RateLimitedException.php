<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `rate_limited`: the service responded with 429. `getRetryAfter()` says how long to
 * wait.
 */
class RateLimitedException extends PaymentsException
{
}
