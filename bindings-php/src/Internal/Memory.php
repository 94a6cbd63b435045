<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * Reads bytes and texts that C returns.
 *
 * @internal
 */
final class Memory
{
    /** Copies the bytes at a pointer, which may be NULL. */
    public static function string(?CData $pointer, CData $length): ?string
    {
        if ($pointer === null || FFI::isNull($pointer)) {
            return null;
        }
        return FFI::string($pointer, $length->cdata);
    }

    /** Copies the text of a payments_text, and frees it. */
    public static function take(FFI $ffi, CData $text): string
    {
        try {
            // This package reads only JSON and PEM, which contain no NUL.
            return $ffi->payments_text_data($text);
        } finally {
            $ffi->payments_text_free($text);
        }
    }
}
