<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Defers the handlers of pcntl_async_signals() while C runs. PHP calls them
 * whenever it enters a function, including a callback. An exception there would
 * unwind through C, which ends the process. Where a call returns, an exception
 * would replace its response.
 *
 * It also defers them while the package converts arguments. PHP runs handlers
 * where a function of C returned, and at jumps. If that is inside the arguments
 * of a call, as in `f(strlen($x))` and `f($x ?: 1)`, and the handler throws, PHP
 * 8.2 frees the argument as if it had been passed: it frees whatever was in its
 * place before, which is often freed already.
 *
 * Calls of several fibers may interleave. Handlers run at the end of the
 * outermost call of a fiber, when no C is on its stack. When no call is in
 * progress, PHP runs them anywhere again.
 *
 * @internal
 */
final class Signals
{
    /** The number of calls in progress, in all fibers. */
    private static int $calls = 0;

    /** Whether asynchronous signals were on before the first call. */
    private static bool $areHeld = false;

    /** @var array<int, true> the fibers in which a call runs, by number; 0 is for none */
    private static array $fibers = [];

    private int $fiber;
    private bool $isOutermost;

    /** @var ?\Closure(\Throwable): \Throwable makes the exception that replaces an answer if a handler throws */
    private ?\Closure $instead = null;

    private function __construct()
    {
        if (self::turnOff()) {
            self::$areHeld = true;
        }
        $fiber = \Fiber::getCurrent();
        $this->fiber = $fiber === null ? 0 : spl_object_id($fiber);
        $this->isOutermost = !isset(self::$fibers[$this->fiber]);
        self::$fibers[$this->fiber] = true;
        self::$calls++;
    }

    /** Returns whether asynchronous signals were on. */
    private static function turnOff(): bool
    {
        try {
            return function_exists('pcntl_async_signals') && pcntl_async_signals(false);
        } catch (\Throwable $thrown) {
            // A handler threw when they were off already. Another one may throw as they are turned on.
            try {
                pcntl_async_signals(true);
            } finally {
                throw $thrown;
            }
        }
    }

    /**
     * Returns the result of `$act`. Handlers are deferred until it requests them or ends.
     *
     * @template T
     * @param \Closure(self): T $act
     * @return T
     */
    public static function held(#[\SensitiveParameter] \Closure $act): mixed
    {
        $signals = new self();
        [$hasEnded, $error] = [false, null];
        try {
            $answer = $act($signals);
            $hasEnded = true;
        } catch (\Throwable $error) {
            $hasEnded = true;
        } finally {
            if (!$hasEnded) {
                // Its fiber is destroyed.
                $signals->release();
            }
        }
        if ($error !== null) {
            $signals->raise($error);
        }
        // No conditional expression, since it ends with a jump.
        return $signals->give($answer);
    }

    /** Whether PHP would run handlers, if no call were in progress. */
    public function areHeld(): bool
    {
        return self::$areHeld;
    }

    /**
     * Sets the function that makes the exception to throw instead of the answer if a handler throws after this.
     *
     * @param \Closure(\Throwable): \Throwable $instead
     */
    public function keep(\Closure $instead): void
    {
        $this->instead = $instead;
    }

    /** Runs the deferred handlers. Returns `$thrown`, with an exception of a handler as its last previous one. */
    public function run(?\Throwable $thrown): ?\Throwable
    {
        try {
            try {
                if (self::$areHeld && $this->isOutermost) {
                    pcntl_signal_dispatch();
                }
            } finally {
                if ($thrown !== null) {
                    // PHP appends the handler's exception to the chain of previous ones.
                    throw $thrown;
                }
            }
        } catch (\Throwable $all) {
            return $all;
        }
        return null;
    }

    // PHP runs handlers where a function is called, where one of C returns, and at jumps, but not where
    // one of PHP returns. After `release`, none of these comes until the answer or the error has left.

    /** Returns the answer of a call, unless a handler throws. */
    private function give(#[\SensitiveParameter] mixed $answer): mixed
    {
        try {
            $this->release();
            return $answer;
        } catch (\Throwable $thrown) {
            try {
                pcntl_async_signals(false);
            } catch (\Throwable) {
                // Another handler threw when they were off already.
            }
        }
        self::$areHeld = true;
        self::$calls++;
        return $this->raise($this->instead === null ? $thrown : ($this->instead)($thrown));
    }

    /** Throws the error of a call. An exception of a handler becomes its last previous one. */
    private function raise(\Throwable $error): never
    {
        try {
            $this->release();
            throw $error;
        } catch (\Throwable $left) {
            try {
                throw $left;
            } finally {
                throw $error;
            }
        }
    }

    private function release(): void
    {
        $wereHeld = self::$areHeld;
        $isLast = --self::$calls === 0;
        if ($this->isOutermost) {
            unset(self::$fibers[$this->fiber]);
        }
        if ($wereHeld && $isLast) {
            self::$areHeld = false;
            pcntl_async_signals(true);
        }
        if ($wereHeld && $this->isOutermost) {
            // For signals that arrived since the last dispatch.
            pcntl_signal_dispatch();
        }
    }
}
