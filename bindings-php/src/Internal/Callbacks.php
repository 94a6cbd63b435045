<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\CallContext;
use Libpayments\Internal\Events\Observers;
use Libpayments\Journal;
use Libpayments\JournalUnavailable;
use Libpayments\Signer;
use Libpayments\SigningInput;
use Libpayments\StoreUnavailable;
use Libpayments\TokenStore;

/**
 * The callbacks of one client.
 *
 * PHP frees a closure that became a C function only at the end of the request.
 * So there is one closure for each kind of callback, created once. It finds the
 * client's own callbacks by the number that `user_data` points to. `RunningCall`
 * handles what callbacks throw, and `exit`.
 *
 * The trace of an exception outlives the call. So `SensitiveParameter` marks
 * parameters with a token or the request, and pointers that a dump would follow
 * into freed memory.
 *
 * @internal
 */
final class Callbacks
{
    use Secret;

    private const REENTRANT = 'a signer, token store, observer or journal called the client that it serves; use a '
        . 'separate client there';

    /** Results of a journal for C: a change may appear later, or none will. */
    private const DURING_COMMIT = 2;
    private const BEFORE_COMMIT = 3;

    /** @var array<int, \WeakReference<self>> */
    private static array $live = [];
    private static int $lastNumber = 0;

    /** @var array<string, CData> the C functions, by kind */
    private static array $functions = [];

    private int $number;
    private CData $userData;

    /** @var \WeakMap<object, \WeakReference<RunningCall>> calls by the fiber of C, or by this object without one */
    private \WeakMap $running;

    /** @var \WeakMap<object, \WeakReference<RunningCall>> calls by the fiber of the caller and its callbacks */
    private \WeakMap $made;

    public function __construct(
        private FFI $ffi,
        private ?Signer $signer,
        private ?TokenStore $store,
        private ?Observers $observers,
        private ?Journal $journal,
    ) {
        $this->running = new \WeakMap();
        $this->made = new \WeakMap();
        $this->number = ++self::$lastNumber;
        $this->userData = $ffi->new('uint64_t[1]');
        $this->userData[0] = $this->number;
        // Not in a destructor: others may make calls after it.
        self::$live = array_filter(self::$live, static fn (\WeakReference $it): bool => $it->get() !== null);
        self::$live[$this->number] = \WeakReference::create($this);
    }

    /** The same callbacks for another native client. */
    public function again(): self
    {
        return new self($this->ffi, $this->signer, $this->store, $this->observers, $this->journal);
    }

    /** Sets the callbacks on the options of a new client. */
    public function register(CData $options, CData $error): int
    {
        $kid = $this->signer?->kid();
        $kid === null || Json::check($kid, 'kid', Json::CONFIG);
        $given = ['signer' => $this->signer, 'token_store' => $this->store, 'observer' => $this->observers];
        $given['journal'] = $this->journal;
        foreach (array_keys(array_filter($given)) as $name) {
            $function = self::$functions[$name] ??= match ($name) {
                'signer' => self::signFunction($this->ffi),
                'token_store' => self::storeFunctions($this->ffi),
                'observer' => self::eventFunction($this->ffi),
                'journal' => self::journalFunction($this->ffi),
            };
            $further = $name === 'signer' ? [$kid, strlen($kid)] : [];
            $further[] = $name === 'token_store' ? FFI::addr($function) : $function[0];
            $set = "payments_options_set_$name";
            $status = $this->ffi->$set($options, $this->userData, ...$further, ...[null, FFI::addr($error)]);
            if ($status !== 0) {
                return $status;
            }
        }
        return 0;
    }

    /** Whether a fatal error left one of these callbacks, and with it the call in C. */
    public function wereLeft(): bool
    {
        foreach ($this->made as $of => $running) {
            $isLeft = $of instanceof \Fiber ? $of->isTerminated() : !$this->isServing();
            if ($isLeft && $running->get() !== null) {
                return true;
            }
        }
        return false;
    }

    /** Whether `serve` runs. */
    private function isServing(): bool
    {
        foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT | DEBUG_BACKTRACE_IGNORE_ARGS) as $frame) {
            if ($frame['function'] === 'serve' && ($frame['object'] ?? null) === $this) {
                return true;
            }
        }
        return false;
    }

    /** Refuses a call from one of these callbacks to its own client. */
    public function refuseNested(): void
    {
        // After an `exit` the entry remains, but the call has ended.
        if (($this->made[\Fiber::getCurrent() ?? $this] ?? null)?->get() !== null) {
            throw Report::exception(Report::local('config', ErrorCode::REENTRANT_CALL, self::REENTRANT));
        }
    }

    /**
     * Makes a call with these callbacks.
     *
     * @param bool $isTraced whether the caller gave a `traceparent`
     * @param \Closure(RunningCall): int $act calls C
     * @return array{int, ?\Throwable} the status of the call, and the exception of a callback
     * in it
     */
    public function serve(CData $call, bool $isTraced, #[\SensitiveParameter] \Closure $act): array
    {
        $running = new RunningCall($this->ffi, $call, $isTraced);
        // A variable here would reference this fiber from its own stack, so that it is never destroyed.
        $this->made[\Fiber::getCurrent() ?? $this] = \WeakReference::create($running);
        $runs = function (RunningCall $running, ?\Fiber $fiber): void {
            $this->running[$fiber ?? $this] = \WeakReference::create($running);
        };
        try {
            $status = $running->perform($act, $runs);
            return [$status, $running->thrown ?? ($status === 0 ? null : $running->thrownByJournal)];
        } finally {
            // Breaks a cycle: the trace of the exception references this object.
            $running->thrown = $running->thrownByJournal = null;
            unset($this->made[\Fiber::getCurrent() ?? $this]);
        }
    }

    private static function signFunction(FFI $ffi): CData
    {
        $function = $ffi->new('payments_sign_fn[1]');
        $function[0] = static function (
            CData $userData,
            CData $context,
            #[\SensitiveParameter] CData $input,
            int $length,
            #[\SensitiveParameter] CData $sha256,
            CData $signatureOut,
            CData $messageOut,
        ): int {
            $act = static fn (self $of, RunningCall $running): int
                => $of->sign($running, $context, $input, $length, $sha256, $signatureOut, $messageOut);
            return self::guarded($userData, 'sign', 1, $act);
        };
        return $function;
    }

    private static function eventFunction(FFI $ffi): CData
    {
        $function = $ffi->new('payments_event_fn[1]');
        $function[0] = static function (CData $userData, string $event): void {
            self::guarded($userData, 'event', 0, static function (self $of, RunningCall $running) use ($event): int {
                $running->propagate($of->observers->notify($event));
                return 0;
            });
        };
        return $function;
    }

    private static function journalFunction(FFI $ffi): CData
    {
        $function = $ffi->new('payments_journal_fn[1]');
        $function[0] = static function (
            CData $userData,
            CData $context,
            string $action,
            string $input,
            int $length,
            CData $resultOut,
            CData $messageOut,
        ): int {
            $act = static fn (self $of, RunningCall $running): int
                => $of->journal($running, $of->context($context), $action, $input, $resultOut, $messageOut);
            return self::guarded($userData, 'journal', -1, $act);
        };
        return $function;
    }

    private static function storeFunctions(FFI $ffi): CData
    {
        $functions = $ffi->new('payments_token_store_callbacks');
        $functions->size = FFI::sizeof($functions);
        $functions->load = static function (CData $userData, CData $context, string $key, CData $out): int {
            return self::guarded($userData, 'load', -1, static function (self $of) use ($context, $key, $out): int {
                $entry = $of->store->load($key, $of->context($context));
                return $entry === null ? 0 : $of->write($out, $entry);
            });
        };
        $functions->save = static function (
            CData $userData,
            CData $context,
            string $key,
            #[\SensitiveParameter] string $entry,
            int $length,
            int $fence,
        ): int {
            $act = static fn (self $of): int => (int) $of->store->save($key, $entry, $fence, $of->context($context));
            return self::guarded($userData, 'save', -1, $act);
        };
        $functions->delete_if = static function (
            CData $userData,
            CData $context,
            string $key,
            #[\SensitiveParameter] string $token,
        ): int {
            $act = static fn (self $of): int => (int) $of->store->deleteIf($key, $token, $of->context($context));
            return self::guarded($userData, 'delete_if', -1, $act);
        };
        $functions->try_lock = static function (
            CData $userData,
            CData $context,
            string $key,
            #[\SensitiveParameter] CData $fenceOut,
        ): int {
            $act = static function (self $of) use ($context, $key, $fenceOut): int {
                $fence = $of->store->tryLock($key, $of->context($context));
                if ($fence === null) {
                    return 0;
                }
                $fenceOut[0] = $fence;
                return 1;
            };
            return self::guarded($userData, 'try_lock', -1, $act);
        };
        $functions->unlock = static function (CData $userData, string $key, int $fence): void {
            self::guarded($userData, 'unlock', 0, static function (self $of) use ($key, $fence): int {
                $of->store->unlock($key, $fence);
                return 0;
            });
        };
        return $functions;
    }

    /**
     * Runs a callback, and returns `$failed` to C if it throws.
     *
     * @param \Closure(self, RunningCall): int $callback
     */
    private static function guarded(
        CData $userData,
        string $name,
        int $failed,
        #[\SensitiveParameter] \Closure $callback,
    ): int {
        $number = Loader::ffi()->cast('uint64_t *', $userData)[0];
        $of = (self::$live[$number] ?? null)?->get();
        $running = $of === null ? null : ($of->running[\Fiber::getCurrent() ?? $of] ?? null)?->get();
        if ($running === null) {
            return $failed;
        }
        return $running->callback($name, $failed, static fn (): int => $callback($of, $running));
    }

    private function sign(
        RunningCall $running,
        CData $context,
        #[\SensitiveParameter] CData $input,
        int $length,
        #[\SensitiveParameter] CData $sha256,
        CData $signatureOut,
        CData $messageOut,
    ): int {
        try {
            $input = new SigningInput(FFI::string($input, $length), FFI::string($sha256, 32));
            return $this->write($signatureOut, $this->signer->sign($input, $this->context($context)));
        } catch (\Throwable $error) {
            // Its text may contain anything, so it is in getPrevious() and not in the message.
            $this->write($messageOut, 'the signer threw ' . get_debug_type($error) . '; see getPrevious()');
            $running->thrown ??= $error;
            return 1;
        }
    }

    private function journal(
        RunningCall $running,
        CallContext $context,
        string $action,
        string $input,
        CData $resultOut,
        CData $messageOut,
    ): int {
        $running->isEnding = $running->isEnding || $running->isJournaled && $action === 'update';
        $running->isJournaled = $running->isJournaled || $action === 'insert';
        try {
            $input = Json::decode($input);
            $result = match ($action) {
                'insert' => $this->journal->insert($input['entry'], $context),
                'update' => $this->journal->update($input['entry'], $context),
                'find' => $this->journal->find($input, $context),
                'count' => $this->journal->count($input['scope'], $input['before'], $context),
                'prune' => $this->journal->prune($input['scope'], $input['before'], $input['limit'], $context),
            };
            return $this->write($resultOut, json_encode($result, JSON_THROW_ON_ERROR));
        } catch (\Throwable $error) {
            $isMeant = $error instanceof JournalUnavailable;
            $this->write($messageOut, $isMeant ? $error->getMessage() : 'it threw ' . get_debug_type($error));
            if (!$running->isEnding) {
                $running->thrownByJournal ??= $error;
            }
            if (!$isMeant || $error->duringCommit === null) {
                return -1;
            }
            return $error->duringCommit ? self::DURING_COMMIT : self::BEFORE_COMMIT;
        }
    }

    private function context(CData $context): CallContext
    {
        return new CallContext($this->ffi->payments_context_remaining_ms($context));
    }

    private function write(CData $sink, #[\SensitiveParameter] string $bytes): int
    {
        $copy = new Bytes($this->ffi, $bytes);
        return $this->ffi->payments_sink_write($sink, $copy->pointer, $copy->length);
    }
}
