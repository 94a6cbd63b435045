<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * Gives C addresses, and reads the bytes and texts that it returns.
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

    /**
     * The address of a variable, as `void *`: a dump of a trace would follow a typed pointer, even
     * after its target was freed.
     */
    public static function address(FFI $ffi, CData $variable): CData
    {
        // Two statements, since this also runs where handlers are not deferred: `Signals` says why.
        $pointer = FFI::addr($variable);
        return $ffi->cast('void *', $pointer);
    }

    /** Copies the bytes of a payments_text, which may contain NUL, and frees it. */
    public static function takeBytes(FFI $ffi, CData $text): string
    {
        try {
            $bytes = $ffi->payments_text_bytes($text);
            $length = $ffi->payments_text_length($text);
            return FFI::string($bytes, $length);
        } finally {
            $ffi->payments_text_free($text);
        }
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
