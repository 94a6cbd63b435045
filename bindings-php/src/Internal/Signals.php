<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Holds back the handlers of pcntl_async_signals() while C runs. PHP calls
 * them wherever it enters a function, so also where a callback begins: what
 * they throw there would go through C, which ends the process; and where a
 * call returns it would take the place of the answer.
 *
 * @internal
 */
final class Signals
{
    private bool $areHeld;

    private function __construct()
    {
        $this->areHeld = function_exists('pcntl_async_signals') && pcntl_async_signals(false);
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
            if ($signals->areHeld) {
                pcntl_async_signals(true);
                // For those that came since $act asked last.
                pcntl_signal_dispatch();
            }
        }
    }

    /** Runs the handlers that waited. Gives `$thrown`, and behind it what one of them threw. */
    public function run(?\Throwable $thrown): ?\Throwable
    {
        try {
            try {
                if ($this->areHeld) {
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
}
