<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

/**
 * The input of a step in PHP's own form: arrays, and an empty object as an
 * object, since an empty array is a list.
 */
final class Input
{
    /**
     * @param array<string, mixed> $samples
     * @return array<string, mixed>|string
     */
    public static function of(\stdClass $step, array $samples, Placeholders $placeholders): array|string
    {
        if (isset($step->input_text)) {
            return $placeholders->fill($step->input_text);
        }
        $tree = isset($step->sample)
            ? $samples[$step->sample] ?? throw new \LogicException("no sample $step->sample")
            : $step->input ?? [];
        $tree = (array) self::native($placeholders->fill($tree));
        foreach ($step->remove ?? [] as $pointer) {
            $steps = Compare::steps($pointer);
            $last = array_pop($steps);
            $holder = &self::place($tree, $steps);
            if (!is_array($holder) || !array_key_exists($last, $holder)) {
                throw new \LogicException("nothing to remove at $pointer");
            }
            $wasList = array_is_list($holder);
            unset($holder[$last]);
            $holder = $wasList ? array_values($holder) : $holder;
            unset($holder);
        }
        foreach ((array) ($step->set ?? []) as $pointer => $value) {
            $place = &self::place($tree, Compare::steps((string) $pointer));
            $place = self::native($placeholders->fill($value));
            unset($place);
        }
        return $tree;
    }

    /** Objects as arrays, except those that would be lists: an empty one, and one whose only name is 0. */
    public static function native(mixed $value): mixed
    {
        if ($value instanceof \stdClass) {
            $members = array_map(self::native(...), get_object_vars($value));
            return array_is_list($members) ? (object) $members : $members;
        }
        return is_array($value) ? array_map(self::native(...), $value) : $value;
    }

    /**
     * @param list<string> $steps
     */
    private static function &place(array &$tree, array $steps): mixed
    {
        $place = &$tree;
        foreach ($steps as $step) {
            if ($place instanceof \stdClass) {
                $place = [];
            }
            if ($step === '-') {
                $place[] = null;
                $step = array_key_last($place);
            }
            $place = &$place[$step];
        }
        return $place;
    }
}
