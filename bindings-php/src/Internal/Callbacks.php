<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\CallContext;
use Libpayments\Signer;
use Libpayments\SigningInput;
use Libpayments\StoreUnavailable;
use Libpayments\TokenStore;

/**
 * The callbacks of one client.
 *
 * Each closure that becomes a C function lives until the request ends, so
 * there is one for each kind of callback, made once; it finds the client's own
 * callbacks by the number that `user_data` points to. Nothing may be thrown
 * through C: PHP would end the process. What a callback throws is kept, and
 * the call is ended; then it becomes the call's error.
 *
 * Its trace outlives the call. So parameters are marked that hold a token or
 * the request, and pointers that a dump would follow to what is freed.
 *
 * @internal
 */
final class Callbacks
{
    use Secret;

    /** @var array<int, \WeakReference<self>> */
    private static array $live = [];
    private static int $lastNumber = 0;

    /** @var array<string, CData> the C functions, by kind */
    private static array $functions = [];

    private int $number;
    private CData $userData;
    private ?\Closure $observer;

    /** @var \WeakMap<object, Running> the innermost call that runs in each fiber, or in none: then the key is this object */
    private \WeakMap $running;

    /** @param (callable(array<string, mixed>): mixed)|null $observer */
    public function __construct(
        private FFI $ffi,
        private ?Signer $signer,
        private ?TokenStore $store,
        ?callable $observer,
    ) {
        $this->running = new \WeakMap();
        $this->observer = $observer === null ? null : \Closure::fromCallable($observer);
        $this->number = ++self::$lastNumber;
        $this->userData = $ffi->new('uint64_t[1]');
        $this->userData[0] = $this->number;
        self::$live[$this->number] = \WeakReference::create($this);
    }

    public function __destruct()
    {
        unset(self::$live[$this->number]);
    }

    /** Hands the callbacks over to options that a client is made from. */
    public function register(CData $options, CData $error): int
    {
        $status = 0;
        if ($this->signer !== null) {
            $kid = $this->signer->kid();
            Json::check($kid, 'kid', Json::CONFIG);
            $sign = self::$functions['sign'] ??= self::signFunction($this->ffi);
            $status = $this->ffi->payments_options_set_signer(
                $options,
                $this->userData,
                $kid,
                strlen($kid),
                $sign[0],
                null,
                FFI::addr($error),
            );
        }
        if ($status === 0 && $this->store !== null) {
            $store = self::$functions['store'] ??= self::storeFunctions($this->ffi);
            $status = $this->ffi->payments_options_set_token_store(
                $options,
                $this->userData,
                FFI::addr($store),
                null,
                FFI::addr($error),
            );
        }
        if ($status === 0 && $this->observer !== null) {
            $event = self::$functions['event'] ??= self::eventFunction($this->ffi);
            $status = $this->ffi->payments_options_set_observer(
                $options,
                $this->userData,
                $event[0],
                null,
                FFI::addr($error),
            );
        }
        return $status;
    }

    /** A call begins in this fiber that these callbacks serve. */
    public function begin(CData $call): Running
    {
        $fiber = \Fiber::getCurrent() ?? $this;
        return $this->running[$fiber] = new Running($call, $this->running[$fiber] ?? null);
    }

    /** The innermost call of this fiber has ended. */
    public function end(Running $call): void
    {
        $fiber = \Fiber::getCurrent() ?? $this;
        if ($call->outer === null) {
            unset($this->running[$fiber]);
        } else {
            $this->running[$fiber] = $call->outer;
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
            return self::guarded($userData, 1, static function (self $of) use (
                $context,
                $input,
                $length,
                $sha256,
                $signatureOut,
                $messageOut,
            ): int {
                return $of->sign($context, $input, $length, $sha256, $signatureOut, $messageOut);
            });
        };
        return $function;
    }

    private static function eventFunction(FFI $ffi): CData
    {
        $function = $ffi->new('payments_event_fn[1]');
        $function[0] = static function (CData $userData, string $event): void {
            self::guarded($userData, 0, static function (self $of) use ($event): int {
                ($of->observer)(Json::decode($event));
                return 0;
            });
        };
        return $function;
    }

    private static function storeFunctions(FFI $ffi): CData
    {
        $functions = $ffi->new('payments_token_store_callbacks');
        $functions->load = static function (CData $userData, CData $context, string $key, CData $out): int {
            return self::guarded($userData, -1, static function (self $of) use ($context, $key, $out): int {
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
            return self::guarded($userData, -1, static function (self $of) use ($context, $key, $entry, $fence): int {
                return (int) $of->store->save($key, $entry, $fence, $of->context($context));
            });
        };
        $functions->delete_if = static function (
            CData $userData,
            CData $context,
            string $key,
            #[\SensitiveParameter] string $token,
        ): int {
            return self::guarded($userData, -1, static function (self $of) use ($context, $key, $token): int {
                return (int) $of->store->deleteIf($key, $token, $of->context($context));
            });
        };
        $functions->try_lock = static function (
            CData $userData,
            CData $context,
            string $key,
            #[\SensitiveParameter] CData $fenceOut,
        ): int {
            return self::guarded($userData, -1, static function (self $of) use ($context, $key, $fenceOut): int {
                $fence = $of->store->tryLock($key, $of->context($context));
                if ($fence === null) {
                    return 0;
                }
                $fenceOut[0] = $fence;
                return 1;
            });
        };
        $functions->unlock = static function (CData $userData, string $key, int $fence): void {
            self::guarded($userData, 0, static function (self $of) use ($key, $fence): int {
                $of->store->unlock($key, $fence);
                return 0;
            });
        };
        return $functions;
    }

    /**
     * Runs a callback; `$failed` is what C gets when it throws.
     *
     * @param \Closure(self): int $callback
     */
    private static function guarded(
        CData $userData,
        int $failed,
        #[\SensitiveParameter] \Closure $callback,
    ): int {
        $of = null;
        try {
            $of = self::find($userData);
            return $callback($of);
        } catch (StoreUnavailable) {
            return $failed;
        } catch (\Throwable $error) {
            $of?->threw($error);
            return $failed;
        }
    }

    private static function find(CData $userData): self
    {
        $number = Loader::ffi()->cast('uint64_t *', $userData)[0];
        return self::$live[$number]->get() ?? throw new \LogicException('the client of this callback is gone');
    }

    private function threw(\Throwable $error): void
    {
        $call = $this->running();
        if ($call !== null) {
            $call->thrown ??= $error;
            $this->ffi->payments_call_cancel($call->handle);
        }
    }

    /** The call that a callback serves: C calls back in the fiber that makes the call. */
    private function running(): ?Running
    {
        return $this->running[\Fiber::getCurrent() ?? $this] ?? null;
    }

    private function sign(
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
            // Its text may hold anything: it is in getPrevious(), not in the message.
            $this->write($messageOut, 'the signer threw ' . get_debug_type($error) . '; see getPrevious()');
            $call = $this->running();
            if ($call !== null) {
                $call->thrown ??= $error;
            }
            return 1;
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
