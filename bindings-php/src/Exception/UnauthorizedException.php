<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `unauthorized`: the service answered 401; getDiagnosis() tells what was found.
 */
class UnauthorizedException extends PaymentsException
{
}
