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
    /**
     * @param 'database'|'driver'|'output' $problem as the core names it
     * @param int $code the number of the system's error
     */
    public function __construct(public readonly string $problem, string $message, int $code = 0)
    {
        parent::__construct($message, $code);
    }
}
