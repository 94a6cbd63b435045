<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Holds back the handlers of pcntl_async_signals() while C runs. PHP calls
 * them wherever it enters a function, so also where a callback begins: what
 * they throw there would go through C, which ends the process; and where a
 * call returns it would take the place of the answer.
 *
 * Calls of several fibers may take turns. Handlers run at the end of the
 * outermost call of a fiber, which has no C on its stack then; when no call is
 * left, they run everywhere again.
 *
 * @internal
 */
final class Signals
{
    /** How many calls run, in all fibers. */
    private static int $calls = 0;

    /** Whether handlers run everywhere when there is no call. */
    private static bool $areHeld = false;

    /** @var array<int, true> the fibers in which a call runs, by number; 0 is for none */
    private static array $fibers = [];

    private int $fiber;
    private bool $isOutermost;

    private function __construct()
    {
        $fiber = \Fiber::getCurrent();
        $this->fiber = $fiber === null ? 0 : spl_object_id($fiber);
        $this->isOutermost = !isset(self::$fibers[$this->fiber]);
        self::$fibers[$this->fiber] = true;
        self::$calls++;
        if (function_exists('pcntl_async_signals') && pcntl_async_signals(false)) {
            self::$areHeld = true;
        }
    }

    /**
     * What `$act` gives. Handlers wait until it asks for them, or ends.
     *
     * @template T
     * @param \Closure(self): T $act
     * @return T
     */
    public static function held(#[\SensitiveParameter] \Closure $act): mixed
    {
        $signals = new self();
        try {
            return $act($signals);
        } finally {
            $signals->release();
        }
    }

    /** Runs the handlers that waited. Gives `$thrown`, and behind it what one of them threw. */
    public function run(?\Throwable $thrown): ?\Throwable
    {
        try {
            try {
                if (self::$areHeld && $this->isOutermost) {
                    pcntl_signal_dispatch();
                }
            } finally {
                if ($thrown !== null) {
                    // PHP puts the handler's at the end of its previous ones.
                    throw $thrown;
                }
            }
        } catch (\Throwable $all) {
            return $all;
        }
        return null;
    }

    private function release(): void
    {
        $wereHeld = self::$areHeld;
        if (--self::$calls === 0 && $wereHeld) {
            self::$areHeld = false;
            pcntl_async_signals(true);
        }
        if ($this->isOutermost) {
            unset(self::$fibers[$this->fiber]);
            if ($wereHeld) {
                // For those that came since they were asked for last.
                pcntl_signal_dispatch();
            }
        }
    }
}
