<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The shortest digits of a float, the same in every language: those of JavaScript,
 * which RFC 8785 adopts. No setting of PHP changes them.
 *
 * @internal
 */
final class FloatDigits
{
    private const LARGEST_WHOLE = 9007199254740991.0;

    /** Returns why the member at the path cannot be this float, or null. */
    public static function problem(float $value, string $path): ?string
    {
        $member = preg_replace('/(\[\d+\])+$/D', '', $path) ?? '';
        $member = substr((string) strrchr(".$member", '.'), 1);
        if (stripos($member, 'amount') !== false) {
            return 'is a float, which cannot represent most decimal amounts exactly; give an amount as a string, '
                . 'for example "100.10", a whole number as an int, and a number with a fraction as decimal("0.50")';
        }
        if (!is_finite($value)) {
            return 'is not a number (NaN or Infinity); omit it, or give a number';
        }
        if (floor($value) === $value && abs($value) > self::LARGEST_WHOLE) {
            return 'is a float beyond 2^53 - 1, which may have lost digits; give an int or a string';
        }
        return null;
    }

    /** Returns the digits of a finite float below 2^53, or with a fraction. */
    public static function of(float $value): string
    {
        // The precision -1 means the shortest digits: `10.5`, `1.0E-7`.
        $text = sprintf('%.*H', -1, abs($value));
        [$mantissa, $exponent] = array_pad(explode('E', $text, 2), 2, '0');
        $mantissa = preg_replace('/\.0$/D', '', $mantissa);
        $sign = $value < 0 ? '-' : '';
        if ((int) $exponent < -6) {
            return "$sign{$mantissa}e" . (int) $exponent;
        }
        // Between 0.000001 and 0.0001, PHP writes an exponent already.
        $zeros = str_repeat('0', max(0, -(int) $exponent - 1));
        return (int) $exponent === 0
            ? $sign . $mantissa
            : "{$sign}0.$zeros" . str_replace('.', '', (string) $mantissa);
    }
}
