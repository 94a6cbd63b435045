<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

use Libpayments\Internal\Quietly;

/**
 * Standard output, which may be full or closed.
 *
 * @internal
 */
final class Output
{
    /**
     * Writes and flushes the whole text.
     *
     * @throws CommandProblem if standard output did not take all of it
     */
    public static function write(string $text): void
    {
        for ($rest = $text; $rest !== ''; $rest = substr($rest, $written)) {
            $written = Quietly::run(static fn () => fwrite(STDOUT, $rest), $said);
            if ($written === false || $written === 0) {
                throw self::failed($said);
            }
        }
        if (!Quietly::run(static fn (): bool => fflush(STDOUT), $said)) {
            throw self::failed($said);
        }
    }

    private static function failed(string $said): CommandProblem
    {
        $why = preg_match('/errno=\d+ (.+)$/', $said, $found) === 1 ? $found[1] : 'it takes nothing more';
        return new CommandProblem('output', $why);
    }
}
