<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

/**
 * Compares a result with the part of it that a scenario names.
 */
final class Compare
{
    /**
     * Where `$found` differs from `$expected`. Of an object, only the members
     * that are expected are compared; anything else must be equal.
     *
     * @return list<string>
     */
    public static function differences(string $place, mixed $expected, mixed $found): array
    {
        if ($expected instanceof \stdClass) {
            $expected = get_object_vars($expected);
            if (!is_array($found) || ($found !== [] && array_is_list($found))) {
                return [self::difference($place, $expected, $found)];
            }
            $differences = [];
            foreach ($expected as $name => $value) {
                array_push($differences, ...array_key_exists($name, $found)
                    ? self::differences("$place/$name", $value, $found[$name])
                    : ["$place/$name: is not there"]);
            }
            return $differences;
        }
        if (is_array($expected)) {
            if (!is_array($found) || count($expected) !== count($found)) {
                return [self::difference($place, $expected, $found)];
            }
            $differences = [];
            foreach ($expected as $index => $value) {
                array_push($differences, ...self::differences("$place/$index", $value, $found[$index] ?? null));
            }
            return $differences;
        }
        return $expected === $found ? [] : [self::difference($place, $expected, $found)];
    }

    /**
     * Like `differences`, and `$found` must have exactly the expected members. `{number}` is
     * any whole number that is not negative, `{text}` any text but an empty one.
     *
     * @return list<string>
     */
    public static function exactDifferences(string $place, mixed $expected, mixed $found): array
    {
        $members = $expected instanceof \stdClass ? get_object_vars($expected) : $expected;
        if (is_array($members) && is_array($found)) {
            $differences = [];
            foreach ($members + $found as $name => $_) {
                array_push($differences, ...array_key_exists($name, $members) && array_key_exists($name, $found)
                    ? self::exactDifferences("$place/$name", $members[$name], $found[$name])
                    : ["$place/$name: " . json_encode($found[$name] ?? null) . ' is there or expected alone']);
            }
            return $differences;
        }
        $isMeant = ($expected === '{number}' && is_int($found) && $found >= 0)
            || ($expected === '{text}' && is_string($found) && $found !== '');
        return $isMeant ? [] : self::differences($place, $expected, $found);
    }

    /**
     * Where lines of a log differ. `{duration}` is a time such as `1.204ms` or `30s`.
     *
     * @param list<string> $expected
     * @param list<string> $found
     * @return list<string>
     */
    public static function lineDifferences(array $expected, array $found): array
    {
        $pattern = preg_quote(implode("\n", $expected), '/');
        $pattern = str_replace(preg_quote('{duration}', '/'), '(?:\\d+\\.\\d{3}ms|\\d+s)', $pattern);
        $isSame = preg_match("/^$pattern\$/D", implode("\n", $found)) === 1;
        return $isSame ? [] : ['log:', ...$found, 'expected:', ...$expected];
    }

    /** The value at a JSON Pointer; null when it leads nowhere. */
    public static function at(mixed $tree, string $pointer): mixed
    {
        foreach (self::steps($pointer) as $step) {
            if (!is_array($tree) || !array_key_exists($step, $tree)) {
                return null;
            }
            $tree = $tree[$step];
        }
        return $tree;
    }

    /** @return list<string> */
    public static function steps(string $pointer): array
    {
        $steps = array_slice(explode('/', $pointer), 1);
        return array_map(static fn (string $step): string => strtr($step, ['~1' => '/', '~0' => '~']), $steps);
    }

    private static function difference(string $place, mixed $expected, mixed $found): string
    {
        return "$place: " . json_encode($found) . ', expected ' . json_encode($expected);
    }
}
