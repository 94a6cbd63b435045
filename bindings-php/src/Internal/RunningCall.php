<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\StoreUnavailable;

/**
 * A running call and its callbacks.
 *
 * PHP ends the request if anything unwinds through C. So an exception of a
 * callback is stored, and the call is cancelled. `exit`, and the destruction of
 * a suspended fiber, cannot be caught. So C runs in its own fiber, and
 * callbacks run outside of it: both then unwind past C and destroy its fiber. C
 * sees that the callback failed, and the cancelled call ends cleanly.
 *
 * @internal
 */
final class RunningCall
{
    use Secret;

    public ?\Throwable $thrown = null;

    /**
     * The exception of the journal. It did not end the call, but may have made it fail.
     */
    public ?\Throwable $thrownByJournal = null;

    /** Whether the journal may have an entry of the call. */
    public bool $isJournaled = false;

    /** Whether the end of the call is being recorded: then the journal's exceptions do not change its result. */
    public bool $isEnding = false;

    /** Whether C runs in its own fiber. */
    private bool $isApart = false;

    /** @var array<string, true> the callbacks that have not returned; one that exited is not called again */
    private array $open = [];

    private bool $isAbandoned = false;

    /** @param bool $isTraced whether the caller gave a `traceparent` */
    public function __construct(private FFI $ffi, private CData $handle, private bool $isTraced)
    {
    }

    /** Lets the request that begins carry the `traceparent` of its span. */
    public function propagate(?string $traceparent): void
    {
        if ($traceparent !== null && !$this->isTraced) {
            $this->ffi->payments_call_set_traceparent($this->handle, $traceparent, strlen($traceparent), null);
        }
    }

    /** Whether no code is left to read the call's result. */
    public function isAbandoned(): bool
    {
        return $this->isAbandoned;
    }

    /**
     * Runs C and the callbacks that it requests. Only the frame of this method
     * may reference the fiber, so that both end together.
     *
     * @param \Closure(self): int $act calls C
     * @param \Closure(self, ?\Fiber): void $runs records the fiber in which C runs
     */
    public function perform(#[\SensitiveParameter] \Closure $act, #[\SensitiveParameter] \Closure $runs): int
    {
        $fiber = new \Fiber(fn (): int => $act($this));
        $this->isApart = true;
        $runs($this, $fiber);
        try {
            $callback = $fiber->start();
        } catch (\FiberError $error) {
            if ($fiber->isStarted()) {
                throw $error;
            }
            // PHP cannot start fibers in signal handlers, and before 8.4 in some destructors.
            $this->isApart = false;
            $runs($this, \Fiber::getCurrent());
            return $act($this);
        }
        try {
            // A loop right after `try` makes opcache 8.2 begin the `try` at the first line of the method.
            $hasEnded = $fiber->isTerminated();
            while (!$hasEnded) {
                $callback = $fiber->resume($callback());
                $hasEnded = $fiber->isTerminated();
            }
            return $fiber->getReturn();
        } finally {
            // An `exit` skips this.
            $this->open = [];
        }
    }

    /**
     * Returns the callback's result to C, or `$failed` if it does not return.
     *
     * @param \Closure(): int $callback
     */
    public function callback(string $name, int $failed, #[\SensitiveParameter] \Closure $callback): int
    {
        if (isset($this->open[$name])) {
            return $failed;
        }
        $this->open[$name] = true;
        $guarded = fn (): int => $this->guarded($failed, $callback);
        $result = null;
        try {
            $result = $this->isApart && !$this->isAbandoned ? \Fiber::suspend($guarded) : $guarded();
            unset($this->open[$name]);
        } finally {
            if ($result === null) {
                $this->isAbandoned = true;
                $this->ffi->payments_call_cancel($this->handle);
            }
            // Stops the unwinding, which must not reach C.
            return $result ?? $failed;
        }
    }

    /** @param \Closure(): int $callback */
    private function guarded(int $failed, #[\SensitiveParameter] \Closure $callback): int
    {
        try {
            return $callback();
        } catch (StoreUnavailable) {
            return $failed;
        } catch (\Throwable $error) {
            $this->thrown ??= $error;
            $this->ffi->payments_call_cancel($this->handle);
            return $failed;
        }
    }
}
