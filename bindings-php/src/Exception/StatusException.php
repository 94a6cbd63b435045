<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `status`: the service responded with another status that is not 2xx.
 * `getHttpStatus()` is that status.
 */
class StatusException extends PaymentsException
{
}
