<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Internal\Report;

/**
 * The native library cannot be used here. The message says what is missing
 * and what to do; `getErrorCode()` is one of `ffi_missing`,
 * `ffi_disabled`, `function_disabled`, `library_not_found`, `library_unreadable`,
 * `library_not_shared`, `library_architecture`, `library_abi`,
 * `library_too_old` and `library_not_loaded`.
 */
final class LibraryException extends ConfigException
{
    /** @internal */
    public static function because(string $code, string $message, ?\Throwable $previous = null): self
    {
        return new self(Report::local('config', $code, $message), null, null, $previous);
    }
}
