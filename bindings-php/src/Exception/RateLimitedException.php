<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `rate_limited`: the service answered 429; getRetryAfter() tells how long to wait.
 */
class RateLimitedException extends PaymentsException
{
}
