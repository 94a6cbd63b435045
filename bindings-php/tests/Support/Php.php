<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * PHP in a process of its own.
 */
final class Php
{
    /**
     * What the code prints.
     *
     * @param list<string> $options of the command
     * @param array<string, string> $environment beside PATH; nothing else is handed on
     */
    public static function run(string $code, array $options = [], array $environment = []): string
    {
        $command = [PHP_BINARY, '-d', 'display_errors=stderr', ...$options, '-r', $code];
        return self::output($command, $environment);
    }

    /**
     * What a command prints.
     *
     * @param list<string> $command
     * @param array<string, string> $environment beside PATH; nothing else is handed on
     */
    public static function output(array $command, array $environment = []): string
    {
        $environment += ['PATH' => (string) getenv('PATH')];
        $errors = tmpfile();
        $places = [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors];
        $process = proc_open($command, $places, $pipes, null, $environment);
        $output = (string) stream_get_contents($pipes[1]);
        $status = proc_close($process);
        if ($status !== 0) {
            rewind($errors);
            throw new \RuntimeException(implode(' ', $command) . " ended with $status: $output"
                . stream_get_contents($errors));
        }
        return $output;
    }
}
