<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Thrown by a token store that is temporarily unavailable: the call continues
 * with a token in memory.
 */
final class StoreUnavailable extends \RuntimeException
{
}
