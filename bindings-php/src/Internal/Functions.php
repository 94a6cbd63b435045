<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception\LibraryException;

/**
 * The functions of PHP that this package calls. A host may have disabled some, and a call that
 * begins must be able to report its end.
 *
 * @internal
 */
final class Functions
{
    /** `Loader` and `LibraryFile` have others, which they need only before anything is sent. */
    public const NEEDED = [
        'abs', 'array_diff_key', 'array_filter', 'array_intersect_key', 'array_is_list', 'array_key_first',
        'array_key_last', 'array_keys', 'array_map', 'array_merge', 'array_pad', 'array_slice', 'array_unique',
        'array_values', 'bin2hex', 'ceil', 'class_exists', 'debug_backtrace', 'explode', 'filter_var', 'floor',
        'get_debug_type', 'get_object_vars', 'getmypid', 'hash', 'hash_hmac', 'hrtime', 'implode', 'in_array',
        'intdiv', 'is_array', 'is_bool', 'is_finite', 'is_float', 'is_int', 'is_object', 'is_scalar', 'is_string',
        'json_decode', 'json_encode', 'lcfirst', 'max', 'method_exists', 'microtime', 'min', 'preg_match',
        'preg_match_all', 'preg_replace', 'random_bytes', 'register_shutdown_function', 'restore_error_handler',
        'rtrim', 'serialize', 'set_error_handler', 'spl_autoload_register', 'spl_object_id', 'sprintf',
        'str_contains', 'str_ends_with', 'str_repeat', 'str_replace', 'strcasecmp', 'stripos', 'strlen', 'strrchr',
        'strtr', 'substr', 'time', 'trim', 'ucwords', 'usleep',
    ];

    /** Which PHP code can turn on only with the first, and this package then needs the second. */
    private const TOGETHER = ['pcntl_async_signals', 'pcntl_signal_dispatch'];

    /**
     * Calls no function that may be disabled, and neither does the exception.
     *
     * @throws LibraryException
     */
    public static function check(): void
    {
        $missing = '';
        foreach (self::NEEDED as $name) {
            $missing .= self::isThere($name) ? '' : ($missing === '' ? '' : ', ') . $name;
        }
        [$first, $second] = self::TOGETHER;
        if (self::isThere($first) && !self::isThere($second)) {
            $missing .= ($missing === '' ? '' : ', ') . $second;
        }
        if ($missing !== '') {
            $message = "PHP has these functions disabled, which this package calls: $missing; remove them from "
                . 'disable_functions' . self::configuration();
            throw LibraryException::because(ErrorCode::FFI_DISABLED, $message);
        }
    }

    /** The end of a message, with the file in which PHP is configured. */
    public static function configuration(): string
    {
        $name = 'php_ini_loaded_file';
        $file = self::isThere($name) ? $name() : false;
        return $file === false ? '' : "; PHP reads its configuration from $file";
    }

    private static function isThere(string $name): bool
    {
        try {
            new \ReflectionFunction($name);
            return true;
        } catch (\ReflectionException) {
            return false;
        }
    }
}
