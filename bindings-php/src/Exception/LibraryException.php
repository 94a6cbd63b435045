<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Internal\Report;

/**
 * The native library cannot be used here. The message says what is missing
 * and what to do; `getErrorCode()` is one of `ffi_disabled`,
 * `library_not_loaded` and `library_version`.
 */
final class LibraryException extends ConfigException
{
    /** @internal */
    public static function because(string $code, string $message, ?\Throwable $previous = null): self
    {
        return new self(Report::local('config', $code, $message), null, null, $previous);
    }
}
