<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Decimal;
use Libpayments\Exception\PaymentsException;

/**
 * Converts arrays to JSON text, and back. It refuses values that PHP would
 * silently change, such as text that is not UTF-8.
 *
 * @internal
 */
final class Json
{
    /** The encoded value is a configuration. */
    public const CONFIG = 'config';

    /** Parameters for callbacks, by the names that a configuration might use for them. */
    private const CALLBACKS = [
        'signer' => 'signer',
        'tokenStore' => 'tokenStore',
        'token_store' => 'tokenStore',
        'observer' => 'observer',
        'journal' => 'journal',
        'logger' => 'logger',
    ];

    public const FLAGS = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS
        | JSON_THROW_ON_ERROR;

    /** The core refuses more than 128 levels. This limit keeps PHP from exhausting its stack. */
    private const DEEPEST = 200;

    /**
     * Returns the JSON text of an object.
     *
     * @param array<array-key, mixed>|string $value a string is already JSON text
     * @param string $for the operation that the text is for, or CONFIG
     * @throws PaymentsException
     */
    public static function encode(#[\SensitiveParameter] array|string $value, string $for): string
    {
        if (is_string($value)) {
            self::check($value, '', $for);
            return $value;
        }
        if ($value === []) {
            return '{}';
        }
        return Signals::held(static fn (): string => self::text(self::plain($value, '', $for, 0), $for));
    }

    /**
     * Like `encode`. It also lets go of the value: an exception of a destructor then leaves before anything is
     * sent. Where a method returns, it would replace the response.
     *
     * @param array<array-key, mixed>|string $value
     * @throws PaymentsException
     */
    public static function take(#[\SensitiveParameter] array|string &$value, string $for): string
    {
        $text = self::encode($value, $for);
        $value = '';
        return $text;
    }

    /** @return array<array-key, mixed> */
    public static function decode(#[\SensitiveParameter] string $text): array
    {
        $value = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
        return is_array($value) ? $value : [];
    }

    /**
     * Returns the text if JSON can represent it.
     *
     * @throws PaymentsException
     */
    public static function check(#[\SensitiveParameter] string $text, string $path, string $for): void
    {
        if (preg_match('//u', $text) !== 1) {
            $problem = 'is not UTF-8; convert it with mb_convert_encoding() or iconv()';
            self::refuse($for, ErrorCode::JSON_INVALID, $path, $problem);
        }
    }

    private static function text(#[\SensitiveParameter] mixed $plain, string $for): string
    {
        try {
            $text = json_encode($plain, self::FLAGS, self::DEEPEST + 2);
            $mark = self::mark();
            return str_contains($text, $mark) ? (string) preg_replace("/\"$mark([^\"]*)\"/", '$1', $text) : $text;
        } catch (\JsonException $error) {
            // No value is at fault, so it is the name of a member.
            self::refuse($for, ErrorCode::JSON_INVALID, '', 'the name of a member is not UTF-8');
        }
    }

    private static function plain(
        #[\SensitiveParameter] mixed $value,
        string $path,
        string $for,
        int $depth,
    ): mixed {
        if (is_string($value)) {
            if (preg_match('//u', $value) !== 1) {
                self::check($value, $path, $for);
            }
            return $value;
        }
        if (is_array($value)) {
            $isList = array_is_list($value);
            if (!$isList && array_filter(array_keys($value), is_string(...)) === []) {
                $problem = 'is an array with gaps; use array_values() for a list, or (object) for an object';
                self::refuse($for, ErrorCode::WRONG_TYPE, $path, $problem);
            }
            return self::members($value, $isList, $path, $for, $depth);
        }
        if ($value === null || is_int($value) || is_bool($value)) {
            return $value;
        }
        if (is_float($value)) {
            $problem = FloatDigits::problem($value, $for === self::CONFIG ? 'amount' : $path);
            // `json_encode` would use the digits that `serialize_precision` gives.
            return $problem === null
                ? self::mark() . FloatDigits::of($value)
                : self::refuse($for, ErrorCode::WRONG_TYPE, $path, $problem);
        }
        if ($value instanceof \stdClass) {
            return (object) self::members(get_object_vars($value), false, $path, $for, $depth);
        }
        if ($value instanceof \BackedEnum) {
            return $value->value;
        }
        if ($value instanceof Decimal) {
            // `json_encode` cannot write these digits as a number: `text` removes the quotes.
            return self::mark() . $value;
        }
        if ($value instanceof \Stringable) {
            return self::plain((string) $value, $path, $for, $depth);
        }
        if ($for === self::CONFIG && isset(self::CALLBACKS[$path])) {
            $name = self::CALLBACKS[$path];
            $message = "pass callbacks beside the configuration: new Client(\$config, $name: \$$name)";
            self::refuse($for, ErrorCode::WRONG_TYPE, $path, $message);
        }
        $problem = 'is a ' . get_debug_type($value) . '; give strings, ints, bools, null, decimal(), arrays of these, '
            . 'or (object) [] for an empty object';
        self::refuse($for, ErrorCode::WRONG_TYPE, $path, $problem);
    }

    /** A random mark for texts that are the digits of a number. No other text can contain it. */
    private static function mark(): string
    {
        static $mark = null;
        return $mark ??= 'number-' . bin2hex(random_bytes(16)) . ':';
    }

    /**
     * @param array<array-key, mixed> $values
     * @return array<array-key, mixed>
     */
    private static function members(
        #[\SensitiveParameter] array $values,
        bool $isList,
        string $path,
        string $for,
        int $depth,
    ): array {
        if ($depth > self::DEEPEST) {
            self::refuse($for, ErrorCode::JSON_TOO_LARGE, '', 'the array is nested too deeply; flatten it');
        }
        $plain = [];
        foreach ($values as $name => $value) {
            // Most members are strings: skip building their path.
            if (is_string($value) && preg_match('//u', $value) === 1) {
                $plain[$name] = $value;
                continue;
            }
            $member = $isList ? "{$path}[$name]" : ($path === '' ? (string) $name : "$path.$name");
            $plain[$name] = self::plain($value, $member, $for, $depth + 1);
        }
        return $plain;
    }

    private static function refuse(string $for, string $code, string $path, string $problem): never
    {
        Signals::held(static function () use ($for, $code, $path, $problem): never {
            $kind = $for === self::CONFIG ? 'config' : 'validation';
            $operation = $for === self::CONFIG ? null : $for;
            throw Report::exception(Report::local($kind, $code, $problem, $path === '' ? null : $path, $operation));
        });
    }
}
