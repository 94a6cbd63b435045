<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation was executed, for this call or for an earlier one with the same
 * body: do not send it again. That does not mean paid. Exactly the exceptions
 * with the outcome `executed` implement this interface.
 */
interface ExecutedOutcome extends MayHaveBeenExecuted
{
}
