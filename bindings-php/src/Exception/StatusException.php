<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `status`: the service answered with another status than 2xx.
 */
class StatusException extends PaymentsException
{
}
