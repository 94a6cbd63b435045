<?php

declare(strict_types=1);

namespace Libpayments\Internal;

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
     * @throws OutputFailed if standard output did not take all of it
     */
    public static function write(string $text): void
    {
        error_clear_last();
        for ($rest = $text; $rest !== ''; $rest = substr($rest, $written)) {
            $written = @fwrite(STDOUT, $rest);
            if ($written === false || $written === 0) {
                throw self::failed();
            }
        }
        if (!@fflush(STDOUT)) {
            throw self::failed();
        }
    }

    private static function failed(): OutputFailed
    {
        $said = error_get_last()['message'] ?? '';
        $why = preg_match('/errno=\d+ (.+)$/', $said, $found) === 1 ? $found[1] : 'it takes nothing more';
        return new OutputFailed("could not write to standard output ($why); redirect it elsewhere");
    }
}
