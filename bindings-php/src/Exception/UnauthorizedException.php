<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `unauthorized`: the service responded with 401. `getDiagnosis()` says what the
 * client knows about its credentials.
 */
class UnauthorizedException extends PaymentsException
{
}
