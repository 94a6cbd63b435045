<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `rejected`: the service responded with 2xx, and the body says that the operation
 * failed. `getServiceCode()` is the service's own code.
 */
class RejectedException extends PaymentsException
{
}
