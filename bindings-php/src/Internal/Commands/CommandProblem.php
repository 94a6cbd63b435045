<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

/**
 * A failure of a command of this package.
 *
 * @internal
 */
final class CommandProblem extends \RuntimeException
{
    /** @param 'database'|'driver'|'output' $problem as the core names it */
    public function __construct(public readonly string $problem, string $message)
    {
        parent::__construct($message);
    }
}
