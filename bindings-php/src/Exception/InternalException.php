<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `internal`: a bug of the library, caught.
 */
class InternalException extends PaymentsException
{
}
