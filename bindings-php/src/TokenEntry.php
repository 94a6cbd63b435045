<?php

declare(strict_types=1);

namespace Libpayments;

use FFI;
use Libpayments\Internal\Json;
use Libpayments\Internal\Loader;
use Libpayments\Internal\Memory;
use Libpayments\Internal\NativeClient;

/**
 * Helps a token store with its entries.
 */
final class TokenEntry
{
    /**
     * What is left of an entry without its token, if that token is `$token`;
     * null when another one or none is in it: then nothing is to be changed.
     */
    public static function withoutToken(
        #[\SensitiveParameter] string $entry,
        #[\SensitiveParameter] string $token,
    ): ?string {
        Json::check($entry, 'entry', 'token_store');
        Json::check($token, 'token', 'token_store');
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
            throw NativeClient::taken($ffi, $error, null);
        }
        return FFI::isNull($left) ? null : Memory::take($ffi, $left);
    }
}
