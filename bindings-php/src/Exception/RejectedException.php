<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `rejected`: the service answered 2xx, and the body says that it refused.
 */
class RejectedException extends PaymentsException
{
}
