<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

/**
 * Notes SIGINT and SIGTERM for a command that ends between its steps. A second one
 * has its default action; without the extension pcntl, each one does. SIGHUP is
 * left alone: PHP cannot see whether nohup ignores it.
 *
 * @internal
 */
final class EndingSignal
{
    private const FUNCTIONS = ['pcntl_signal', 'pcntl_signal_dispatch', 'posix_kill'];

    private bool $isWatched;
    private ?int $signal = null;

    public function __construct()
    {
        $this->isWatched = array_filter(self::FUNCTIONS, function_exists(...)) === self::FUNCTIONS;
        $this->handle($this->note(...));
    }

    /** Whether a signal has come. */
    public function hasCome(): bool
    {
        $this->isWatched && pcntl_signal_dispatch();
        return $this->signal !== null;
    }

    /** Ends the process by the signal, or returns the exit code that says so. */
    public function end(): int
    {
        posix_kill((int) getmypid(), (int) $this->signal);
        return 128 + (int) $this->signal;
    }

    private function note(int $signal): void
    {
        $this->signal = $signal;
        $this->handle(SIG_DFL);
    }

    private function handle(callable|int $handler): void
    {
        if ($this->isWatched) {
            pcntl_signal(SIGINT, $handler);
            pcntl_signal(SIGTERM, $handler);
        }
    }
}
