<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Standard output did not take what a command prints.
 *
 * @internal
 */
final class OutputFailed extends \RuntimeException
{
}
