<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

/**
 * The command of the package libpayments/sandbox, which this package's command
 * runs: Composer puts only one of a name into `vendor/bin`.
 *
 * @internal
 */
final class SandboxCommand
{
    private const OWN = ['journal', 'follow', 'explain', 'help'];

    /** The path of the command, or null if the package is not installed. */
    public static function installed(): ?string
    {
        $bin = $GLOBALS['_composer_bin_dir'] ?? getcwd() . '/vendor/bin';
        $file = PHP_OS_FAMILY === 'Windows' ? 'lib/Windows-x86_64/payments.exe' : 'bin/payments';
        $path = "$bin/../libpayments/sandbox/$file";
        // PHP's zip extension unpacks no modes.
        $isThere = is_executable($path) || (is_file($path) && @chmod($path, 0755));
        return $isThere ? $path : null;
    }

    /**
     * Whether the arguments name a command that is not this package's.
     *
     * @param list<string> $arguments
     */
    public static function has(array $arguments): bool
    {
        return preg_match('/^[a-z]/', $arguments[0] ?? '') === 1 && !in_array($arguments[0], self::OWN, true);
    }

    /**
     * Runs the command in place of this process, if PHP can, and returns its exit code.
     *
     * @param list<string> $arguments
     */
    public static function run(string $command, array $arguments): int
    {
        if (function_exists('pcntl_exec')) {
            @pcntl_exec($command, $arguments);
        }
        $process = proc_open([$command, ...$arguments], [STDIN, STDOUT, STDERR], $pipes);
        return $process === false ? 1 : proc_close($process);
    }
}
