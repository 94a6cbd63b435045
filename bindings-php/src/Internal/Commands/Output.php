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
    private const FILE_TYPE = 0170000;
    private const REGULAR_FILE = 0100000;
    private const BROKEN_PIPE = 32;

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

    /**
     * Like {@see self::write()}, for what can be printed again: a reader such as `head` may have
     * enough of it.
     *
     * @throws CommandProblem if standard output did not take all of it for another reason
     */
    public static function writeList(string $text): void
    {
        try {
            self::write($text);
        } catch (CommandProblem $problem) {
            if ($problem->getCode() !== self::BROKEN_PIPE) {
                throw $problem;
            }
        }
    }

    /**
     * Like {@see self::write()}. If standard output is a file, the text is on the disk afterwards.
     *
     * @throws CommandProblem if standard output did not take all of it
     */
    public static function writeLasting(string $text): void
    {
        self::write($text);
        $isFile = ((fstat(STDOUT)['mode'] ?? 0) & self::FILE_TYPE) === self::REGULAR_FILE;
        if ($text !== '' && $isFile && !Quietly::run(static fn (): bool => fdatasync(STDOUT), $said)) {
            throw self::failed($said);
        }
    }

    /**
     * Writes a failure to standard error: as text on a terminal, or as a line of JSON.
     *
     * @param array<string, mixed> $printed the core's output
     */
    public static function complain(array $printed): void
    {
        $isForPeople = stream_isatty(STDERR) && !in_array('--json', $_SERVER['argv'] ?? [], true);
        fwrite(STDERR, ($isForPeople ? $printed['stderr_text'] ?? null : null) ?? $printed['stderr']);
    }

    private static function failed(string $said): CommandProblem
    {
        $isTold = preg_match('/errno=(\d+) (.+)$/', $said, $found) === 1;
        [, $number, $why] = $isTold ? $found : ['', '0', 'it takes nothing more'];
        return new CommandProblem('output', $why, (int) $number);
    }
}
