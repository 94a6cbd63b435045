<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The output of a command could not be written.
 *
 * @internal
 */
final class OutputFailed extends \RuntimeException
{
}
