<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `signing`: the signature could not be made.
 */
class SigningException extends PaymentsException
{
}
