<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Thrown by a token store that does not work for now: the call goes on with a
 * token in memory.
 */
final class StoreUnavailable extends \RuntimeException
{
}
