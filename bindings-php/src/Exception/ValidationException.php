<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `validation`: the request breaks a rule that is known locally. `getPath()` names
 * the member.
 */
class ValidationException extends PaymentsException
{
}
