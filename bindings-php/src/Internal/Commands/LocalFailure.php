<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

/**
 * A failure of a command that cannot ask the core, as the core prints those of
 * the other commands.
 *
 * @internal
 */
final class LocalFailure
{
    public const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;
    private const USAGE = 2;

    /** The column at which texts begin, and the width of a terminal. */
    private const START = 9;
    private const WIDTH = 80;

    /**
     * The output of the command: a line of JSON, and a text for a terminal.
     *
     * @param array{kind: string, code: string, message: string, help: string} $report
     * @return array{stdout: string, stderr: string, stderr_text: string, exit_code: int}
     */
    public static function printed(array $report): array
    {
        $text = self::row('error', $report['message']) . self::row('outcome', 'not executed')
            . self::row('next', $report['help']) . self::row('details', "kind $report[kind], code $report[code]");
        $json = json_encode($report, self::JSON) . "\n";
        return ['stdout' => '', 'stderr' => $json, 'stderr_text' => $text, 'exit_code' => self::USAGE];
    }

    private static function row(string $label, string $text): string
    {
        $clean = (string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $text);
        $indent = "\n" . str_repeat(' ', self::START);
        return str_pad($label, self::START) . wordwrap($clean, self::WIDTH - self::START, $indent) . "\n";
    }
}
