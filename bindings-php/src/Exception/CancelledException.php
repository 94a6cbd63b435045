<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `cancelled`: the call was ended by the caller.
 */
class CancelledException extends PaymentsException
{
}
