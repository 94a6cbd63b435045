<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `token`: no bearer token could be had.
 */
class TokenException extends PaymentsException
{
}
