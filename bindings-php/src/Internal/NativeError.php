<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\Exception\PaymentsException;

/**
 * Creates exceptions from errors of the library.
 *
 * @internal
 */
final class NativeError
{
    /**
     * Creates the exception for a payments_error, and frees it.
     *
     * @param ?string $parameter the name in PHP of the parameter that the error may be about
     */
    public static function taken(
        FFI $ffi,
        CData $error,
        ?\Throwable $thrown,
        ?string $parameter = null,
    ): PaymentsException {
        if (FFI::isNull($error)) {
            $message = 'the library failed without an error; please report it';
            $report = Report::local('internal', ErrorCode::INTERNAL_ERROR, $message);
            return Report::exception(['outcome' => PaymentsException::UNKNOWN] + $report, null, null, $thrown);
        }
        try {
            $length = $ffi->new('size_t');
            $report = Json::decode(self::json($ffi, $error));
            if ($report['path'] !== null) {
                $report['path'] = $parameter ?? $report['path'];
            }
            if ($thrown !== null && $report['kind'] === 'cancelled') {
                $report['message'] = 'a callback threw ' . get_debug_type($thrown) . ', which ended the call; see '
                    . 'getPrevious()';
            }
            return Report::exception(
                $report,
                Memory::string($ffi->payments_error_request_body($error, FFI::addr($length)), $length),
                Memory::string($ffi->payments_error_response_body($error, FFI::addr($length)), $length),
                $thrown,
            );
        } finally {
            $ffi->payments_error_free($error);
        }
    }

    /** The report of a payments_error as JSON text. */
    public static function json(FFI $ffi, CData $error): string
    {
        return self::inOwnWords($ffi, $ffi->payments_error_json($error));
    }

    /** A text of the library, with functions and options as PHP has them. */
    public static function inOwnWords(FFI $ffi, #[\SensitiveParameter] string $text): string
    {
        $written = $ffi->new('payments_text *');
        $error = $ffi->new('payments_error *');
        if ($ffi->payments_in_camel_case($text, strlen($text), FFI::addr($written), FFI::addr($error)) !== 0) {
            $ffi->payments_error_free($error);
            return $text;
        }
        return Memory::take($ffi, $written);
    }
}
