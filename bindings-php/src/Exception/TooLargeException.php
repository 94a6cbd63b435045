<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `too_large`: the answer is larger than allowed.
 */
class TooLargeException extends PaymentsException
{
}
