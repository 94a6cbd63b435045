<?php

declare(strict_types=1);

namespace Libpayments;

use FFI;
use Libpayments\Internal\Json;
use Libpayments\Internal\Loader;
use Libpayments\Internal\Memory;
use Libpayments\Internal\NativeError;
use Libpayments\Internal\Signals;

/**
 * Helps a token store to change its entries.
 */
final class TokenEntry
{
    /**
     * Returns the entry without its token, if that token is `$token`. Returns
     * null if the entry has another token or none: then do not change it.
     */
    public static function withoutToken(
        #[\SensitiveParameter] string $entry,
        #[\SensitiveParameter] string $token,
    ): ?string {
        Json::check($entry, 'entry', 'token_store');
        Json::check($token, 'token', 'token_store');
        return Signals::held(static function () use ($entry, $token): ?string {
            $ffi = Loader::ffi();
            $left = $ffi->new('payments_text *');
            $error = $ffi->new('payments_error *');
            $status = $ffi->payments_entry_without_token(
                $entry,
                strlen($entry),
                $token,
                strlen($token),
                FFI::addr($left),
                FFI::addr($error),
            );
            if ($status !== 0) {
                throw NativeError::taken($ffi, $error, null);
            }
            return FFI::isNull($left) ? null : Memory::take($ffi, $left);
        });
    }
}
