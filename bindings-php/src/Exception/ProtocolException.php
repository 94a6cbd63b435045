<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `protocol`: the answer is not HTTP, or a redirect.
 */
class ProtocolException extends PaymentsException
{
}
