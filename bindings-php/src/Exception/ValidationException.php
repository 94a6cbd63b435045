<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `validation`: the request breaks a rule that is known locally.
 */
class ValidationException extends PaymentsException
{
}
