<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

use Libpayments\FollowEnd;
use Libpayments\Internal\Tables;

/**
 * Follows open payments in steps of the core.
 *
 * @internal
 */
final class FollowLoop
{
    /** PHP's signal handlers run between steps. */
    private const STEP_MS = 1_000;

    /**
     * @var array<int, \Closure(): mixed> end what is followed, also where PHP skips `finally`: after
     *     `exit`, or a time-out
     */
    private static array $open = [];

    private static bool $isWatched = false;

    /**
     * @param \Closure(string, array<string, mixed>): array<string, mixed> $act performs an action
     * @param array<string, mixed> $options
     * @return \Generator<int, FollowEnd>
     */
    public static function ends(\Closure $act, array $options): \Generator
    {
        // It begins with its first step.
        $follow = $act('follow_begin', $options)['follow'];
        $number = self::opened(static fn (): array => $act('follow_end', ['follow' => $follow]));
        $confirmed = false;
        try {
            while (isset(self::$open[$number])) {
                $step = ['follow' => $follow, 'confirmed' => $confirmed, 'wait_ms' => self::STEP_MS];
                $next = $act('follow_next', $step);
                if ($next['is_over']) {
                    return;
                }
                if ($next['end'] !== null) {
                    yield new FollowEnd($next['end']);
                }
                // Asking for the next one means that this one was handled.
                $confirmed = true;
            }
        } finally {
            self::close($number);
        }
    }

    private static function opened(\Closure $end): int
    {
        if (!self::$isWatched) {
            register_shutdown_function(static fn () => array_map(self::close(...), array_keys(self::$open)));
            self::$isWatched = true;
        }
        self::$open[] = $end;
        return (int) array_key_last(self::$open);
    }

    private static function close(int $number): void
    {
        $end = self::$open[$number] ?? null;
        unset(self::$open[$number]);
        $end === null || $end();
    }

    /**
     * Follows as the command, and returns its exit code, unless a signal ends it.
     *
     * @param \Closure(string, array<string, mixed>): array<string, mixed> $act performs an action
     * @param list<string> $arguments
     */
    public static function command(\Closure $act, array $arguments, bool $isForPeople): int
    {
        $signal = new EndingSignal();
        $explain = ['explain' => Tables::EXPLAIN];
        $step = ['arguments' => $arguments] + $explain;
        // One query at a time: only the command `payments` has threads.
        do {
            $printed = $act('follow_command', $step);
            // An end counts as reported once it is written, and on the disk if that is a file.
            Output::writeLasting($printed['stdout']);
            Output::complain($printed);
            $confirmed = isset($step['follow']);
            $step = ['follow' => $printed['follow'], 'confirmed' => $confirmed, 'wait_ms' => self::STEP_MS]
                + ['is_terminal' => $isForPeople] + $explain;
        } while ($printed['exit_code'] === null && !$signal->hasCome());
        if ($printed['exit_code'] === null) {
            $printed = $act('follow_command', ['interrupted' => true] + $step);
        }
        return $printed['exit_code'] ?? $signal->end();
    }
}
