<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * PHP, or another command, in its own process.
 */
final class Php
{
    /** @var list<string> */
    private array $command;
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    /** @var resource */
    private $errors;

    /**
     * Starts a command.
     *
     * @param list<string> $command
     * @param array<string, string> $environment in addition to PATH; nothing else is
     * passed on
     * @param ?string $folder where it runs
     */
    public function __construct(array $command, array $environment = [], ?string $folder = null)
    {
        $environment += ['PATH' => (string) getenv('PATH')];
        $this->command = $command;
        $this->errors = tmpfile();
        $places = [['file', '/dev/null', 'r'], ['pipe', 'w'], $this->errors];
        // It ends even if this process is killed.
        $this->process = proc_open(['timeout', '300', ...$command], $places, $this->pipes, $folder, $environment);
    }

    /** Sends a signal to the command. */
    public function signal(int $signal): void
    {
        $timeout = proc_get_status($this->process)['pid'];
        posix_kill((int) file_get_contents("/proc/$timeout/task/$timeout/children"), $signal);
    }

    /** Waits for the end of the command, and returns its output. */
    public function end(): string
    {
        [$status, $output, $errors] = $this->result();
        if ($status !== 0) {
            $command = implode(' ', $this->command);
            throw new \RuntimeException("$command ended with $status: $output$errors", $status);
        }
        return $output;
    }

    /**
     * Waits for the end of the command, and returns its exit code, or the signal that ended it, and
     * its output.
     *
     * @return array{int, string, string}
     */
    public function result(): array
    {
        $output = (string) stream_get_contents($this->pipes[1]);
        $status = proc_close($this->process);
        rewind($this->errors);
        return [$status, $output, (string) stream_get_contents($this->errors)];
    }

    /**
     * The output of the code.
     *
     * @param list<string> $options of the command
     * @param array<string, string> $environment in addition to PATH; nothing else is
     * passed on
     */
    public static function run(string $code, array $options = [], array $environment = []): string
    {
        $command = [PHP_BINARY, '-d', 'display_errors=stderr', ...$options, '-r', $code];
        return self::output($command, $environment);
    }

    /**
     * The output of a command.
     *
     * @param list<string> $command
     * @param array<string, string> $environment in addition to PATH; nothing else is
     * passed on
     */
    public static function output(array $command, array $environment = []): string
    {
        return (new self($command, $environment))->end();
    }
}
