<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation may have been executed: do not send it again, but find out
 * whether it was. Exactly the exceptions with the outcome `unknown` implement
 * this interface.
 */
interface UnknownOutcome extends MayHaveBeenExecuted
{
}
