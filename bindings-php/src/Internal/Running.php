<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI\CData;

/**
 * A call that runs, and what was thrown in its callbacks.
 *
 * @internal
 */
final class Running
{
    public ?\Throwable $thrown = null;

    /** @param ?self $outer the call whose callback makes this one */
    public function __construct(public readonly CData $handle, public readonly ?self $outer)
    {
    }
}
