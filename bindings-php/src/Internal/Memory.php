<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * Bytes and texts that C gives.
 *
 * @internal
 */
final class Memory
{
    /** The bytes at a pointer that may be NULL. */
    public static function string(?CData $pointer, CData $length): ?string
    {
        if ($pointer === null || FFI::isNull($pointer)) {
            return null;
        }
        return FFI::string($pointer, $length->cdata);
    }

    /** The text of a payments_text, which is freed. */
    public static function take(FFI $ffi, CData $text): string
    {
        try {
            // Texts that this package asks for are JSON and PEM: none holds NUL.
            return $ffi->payments_text_data($text);
        } finally {
            $ffi->payments_text_free($text);
        }
    }
}
