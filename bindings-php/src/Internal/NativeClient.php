<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\Internal\Events\Observers;
use Libpayments\Response;
use Libpayments\Exception\PaymentsException;
use Libpayments\PreparedRequest;

/**
 * A native client, and its calls. A call frees every handle that it creates
 * before it returns.
 *
 * @internal
 */
final class NativeClient
{
    use Secret;

    private CData $client;

    /** Ends with this object, and before `$handle`: PHP releases properties in their order. */
    private object $life;
    private Handle $handle;

    /** @param \Closure(FFI, ?CData, CData, CData): int $make creates the client from options */
    public function __construct(
        private FFI $ffi,
        private ?Callbacks $callbacks,
        #[\SensitiveParameter] private \Closure $make,
    ) {
        $this->life = new \stdClass();
        $this->begin();
    }

    /** Makes the native client. */
    private function begin(): void
    {
        $ffi = $this->ffi;
        $client = $ffi->new('payments_client *');
        $error = $ffi->new('payments_error *');
        $options = null;
        try {
            $status = 0;
            if ($this->callbacks !== null) {
                $options = $ffi->new('payments_options *');
                $status = $ffi->payments_options_new(FFI::addr($options))
                    ?: $this->callbacks->register($options, $error);
            }
            $status = $status ?: ($this->make)($ffi, $options, FFI::addr($client), FFI::addr($error));
        } finally {
            if ($options !== null) {
                $ffi->payments_options_free($options);
            }
        }
        if ($status !== 0) {
            throw NativeError::taken($ffi, $error, null);
        }
        $this->client = $client;
        $this->handle = new Handle($ffi, $client, $this->life);
    }

    public function hasCallbacks(): bool
    {
        return $this->callbacks !== null;
    }

    /**
     * @template T of Response
     * @param class-string<T> $class
     * @return T
     */
    public function operate(
        string $operation,
        #[\SensitiveParameter] string $body,
        string $class,
        ?int $timeoutMs,
        ?string $traceparent,
        ?int $ensureWaitMs = null,
    ): Response {
        $function = "payments_client_$operation";
        $bytes = new Bytes($this->ffi, $body);
        $perform = fn (?CData ...$places): int => $this->ffi->$function($this->client, ...$bytes->parts(), ...$places);
        $work = new Work($operation, $body, true, $timeoutMs, $traceparent, $ensureWaitMs);
        return $this->callForResponse($work, $perform, $class);
    }

    /** Runs the operation with this name. Its response has no typed members. */
    public function callByName(
        string $operation,
        #[\SensitiveParameter] string $body,
        ?int $timeoutMs,
        ?string $traceparent,
    ): Response {
        Json::check($operation, 'operation', 'call');
        $bytes = new Bytes($this->ffi, $body);
        $perform = fn (?CData ...$places): int => $this->ffi
            ->payments_client_call($this->client, $operation, strlen($operation), ...$bytes->parts(), ...$places);
        $work = new Work($operation, $body, true, $timeoutMs, $traceparent);
        return $this->callForResponse($work, $perform, Response::class);
    }

    /**
     * Throws a refusal of `ensurePayment` with the outcome of its reference.
     *
     * @throws PaymentsException
     */
    public function refuseEnsured(string $reference, PaymentsException $refused): void
    {
        $report = $refused->toArray();
        $input = ['reference' => $reference] + array_intersect_key($report, ['path' => 0, 'code' => 0, 'message' => 0]);
        $this->callByName('refused_ensure_payment', Json::encode($input, 'ensure_payment'), null, null);
    }

    /**
     * @template T of Response
     * @param class-string<T> $class
     * @return T
     */
    public function accessToken(string $class, ?int $timeoutMs): Response
    {
        $perform = fn (?CData ...$places): int => $this->ffi->payments_client_access_token($this->client, ...$places);
        return $this->callForResponse(new Work('access_token', timeoutMs: $timeoutMs), $perform, $class);
    }

    /** Performs `warm_up` or `forget_token`, which have neither arguments nor results. */
    public function act(string $name, ?int $timeoutMs): void
    {
        $perform = fn (?CData $call, CData $out, CData $error): int
            => $this->ffi->{"payments_client_$name"}($this->client, $call, $error);
        $this->call(new Work($name, timeoutMs: $timeoutMs), 'payments_text *', $perform, static fn (?CData $it) => $it);
    }

    /** The token's status, as JSON text. */
    public function tokenStatus(?int $timeoutMs): string
    {
        $perform = fn (?CData ...$places): int => $this->ffi->payments_client_token_status($this->client, ...$places);
        $read = fn (CData $text): string => Memory::take($this->ffi, $text);
        return $this->call(new Work('token_status', timeoutMs: $timeoutMs), 'payments_text *', $perform, $read);
    }

    /** Work that is not a call, such as `journal_list`: returns its report as JSON text. */
    public function work(string $name, string $input): string
    {
        $perform = fn (?CData ...$places): int
            => $this->ffi->{"payments_client_$name"}($this->client, $input, strlen($input), ...$places);
        $read = fn (CData $text): string => NativeError::inOwnWords($this->ffi, Memory::take($this->ffi, $text));
        return $this->call(new Work('journal'), 'payments_text *', $perform, $read);
    }

    public function send(
        #[\SensitiveParameter] string $head,
        #[\SensitiveParameter] string $body,
        ?int $timeoutMs,
        ?string $traceparent,
    ): Response {
        $headBytes = new Bytes($this->ffi, $head);
        $bytes = new Bytes($this->ffi, $body);
        $perform = fn (?CData ...$places): int => $this->ffi
            ->payments_client_send($this->client, ...$headBytes->parts(), ...$bytes->parts(), ...$places);
        $work = new Work('send', $head, true, $timeoutMs, $traceparent);
        return $this->callForResponse($work, $perform, Response::class);
    }

    public function prepare(
        string $operation,
        #[\SensitiveParameter] string $input,
        #[\SensitiveParameter] string $body,
        ?int $timeoutMs,
        ?string $traceparent,
    ): PreparedRequest {
        $inputBytes = new Bytes($this->ffi, $input);
        $bytes = new Bytes($this->ffi, $body);
        $perform = fn (?CData ...$places): int => $this->ffi->payments_client_prepare(
            $this->client,
            $operation,
            strlen($operation),
            ...$inputBytes->parts(),
            ...$bytes->parts(),
            ...$places,
        );
        $work = new Work($operation, $input, false, $timeoutMs, $traceparent);
        return $this->call($work, 'payments_prepared *', $perform, $this->readPrepared(...));
    }

    /**
     * @template T of Response
     * @param \Closure(?CData, CData, CData): int $perform
     * @param class-string<T> $class
     * @return T
     */
    private function callForResponse(Work $work, #[\SensitiveParameter] \Closure $perform, string $class): Response
    {
        class_exists($class);
        $read = fn (CData $handle): Response => $this->readResponse($handle, $class);
        return $this->call($work, 'payments_response *', $perform, $read);
    }

    /**
     * @param \Closure(?CData, CData, CData): int $perform
     * @param \Closure(CData): mixed $read reads the handle that the call created, and frees it
     * @throws PaymentsException
     */
    private function call(
        Work $work,
        string $type,
        #[\SensitiveParameter] \Closure $perform,
        \Closure $read,
    ): mixed {
        return Signals::held(function (Signals $signals) use ($work, $type, $perform, $read): mixed {
            if ($work->timeoutMs !== null && $work->timeoutMs <= 0) {
                $message = 'must be a whole number of milliseconds greater than zero';
                throw Report::exception(
                    Report::local('validation', ErrorCode::WRONG_TYPE, $message, 'timeoutMs', $work->operation),
                );
            }
            $out = $this->ffi->new($type);
            $error = $this->ffi->new('payments_error *');
            [$status, $thrown] = $this->perform($work, $perform, $type, $read, $out, $error);
            Descriptors::reserve($this->ffi);
            $all = $signals->run($thrown);
            if ($status === 0 && $all === null) {
                return $signals->areHeld() ? $this->keep($signals, $work, $out, $read) : $read($out);
            }
            if ($status === 0) {
                $this->reportInterrupted($work, $out, $error);
                $read($out);
            }
            if ($all === null) {
                throw NativeError::taken($this->ffi, $error, null);
            }
            throw $this->interrupted($work, $error, $all, $thrown === null ? 'a signal handler' : 'a callback', $read);
        });
    }

    /** Returns the value from C, and keeps it: if a handler throws later, its exception has the response. */
    private function keep(Signals $signals, Work $work, CData $out, \Closure $read): mixed
    {
        $error = $this->ffi->new('payments_error *');
        $this->reportInterrupted($work, $out, $error);
        $json = NativeError::json($this->ffi, $error);
        $this->ffi->payments_error_free($error);
        $answer = $read($out);
        $signals->keep(Interruption::later($json, $work, $answer instanceof Response ? $answer : null));
        return $answer;
    }

    /** Creates the core's error for a call that returned before a handler threw. */
    private function reportInterrupted(Work $work, CData $out, CData $error): void
    {
        $input = new Bytes($this->ffi, $work->request);
        $this->ffi->payments_client_interrupted_after_response(
            $this->client,
            $work->operation,
            strlen($work->operation),
            $input->pointer,
            $input->length,
            null,
            0,
            $work->isSent ? $out : null,
            FFI::addr($error),
        );
    }

    /**
     * The exception for a call in which PHP code threw. It has the response if there is one.
     *
     * @param \Closure(CData): mixed $read
     */
    private function interrupted(
        Work $work,
        CData $error,
        \Throwable $thrown,
        string $who,
        \Closure $read,
    ): PaymentsException {
        $ffi = $this->ffi;
        $report = FFI::isNull($error) ? [] : Json::decode(NativeError::json($ffi, $error));
        if (($report['code'] ?? null) !== ErrorCode::INTERRUPTED_AFTER_RESPONSE) {
            return NativeError::taken($ffi, $error, $thrown);
        }
        $handle = $ffi->new('payments_response *');
        $ffi->payments_error_response($error, FFI::addr($handle));
        $response = FFI::isNull($handle) ? null : $read($handle);
        $ffi->payments_error_free($error);
        return Interruption::exception($report, $work, $thrown, $who, $response);
    }

    /**
     * Returns the status of the call, and the exception of a callback in it.
     *
     * @param \Closure(?CData, CData, CData): int $perform
     * @param \Closure(CData): mixed $read
     * @return array{int, ?\Throwable}
     */
    private function perform(
        Work $work,
        #[\SensitiveParameter] \Closure $perform,
        string $type,
        \Closure $read,
        CData $out,
        CData $error,
    ): array {
        if ($this->callbacks?->wereLeft()) {
            $this->callbacks = $this->callbacks->again();
            $this->begin();
        }
        $this->callbacks?->refuseNested();
        $traceparent = $work->traceparent;
        $hasOptions = $work->timeoutMs !== null || $traceparent !== null || $work->ensureWaitMs !== null;
        $call = $hasOptions || $this->callbacks !== null ? $this->newCall($work) : null;
        $places = [Memory::address($this->ffi, $out), Memory::address($this->ffi, $error)];
        $act = function (?RunningCall $running) use ($perform, $type, $read, $call, $traceparent, $places): int {
            try {
                Descriptors::prepare($this->ffi);
                $status = $traceparent === null ? 0 : $this->ffi
                    ->payments_call_set_traceparent($call, $traceparent, strlen($traceparent), $places[1]);
                $status = $status ?: $perform($call, ...$places);
            } finally {
                if ($call !== null) {
                    $this->ffi->payments_call_free($call);
                }
            }
            if ($running?->isAbandoned()) {
                $status === 0
                    ? $read($this->ffi->cast("$type*", $places[0])[0])
                    : $this->ffi->payments_error_free($this->ffi->cast('payments_error **', $places[1])[0]);
            }
            return $status;
        };
        try {
            return $this->callbacks === null
                ? [$act(null), null]
                : $this->callbacks->serve($call, $traceparent !== null, $act);
        } finally {
            $this->logUnobserved();
        }
    }

    private function logUnobserved(): void
    {
        $line = $this->ffi->new('payments_text *');
        while ($this->ffi->payments_take_journal_failed(FFI::addr($line), null) === 0 && !FFI::isNull($line)) {
            Observers::log(Memory::take($this->ffi, $line));
        }
    }

    private function newCall(Work $work): CData
    {
        $call = $this->ffi->new('payments_call *');
        $this->ffi->payments_call_new(FFI::addr($call));
        if ($work->timeoutMs !== null) {
            $this->ffi->payments_call_set_timeout_ms($call, $work->timeoutMs, null);
        }
        if ($work->ensureWaitMs !== null) {
            // C takes no sign: the call refuses a negative number as one that is too large.
            $this->ffi->payments_call_set_ensure_wait_ms($call, $work->ensureWaitMs, null);
        }
        return $call;
    }

    /**
     * @template T of Response
     * @param class-string<T> $class
     * @return T
     */
    private function readResponse(CData $response, string $class): Response
    {
        $ffi = $this->ffi;
        try {
            $length = $ffi->new('size_t');
            $body = Memory::string($ffi->payments_response_body($response, FFI::addr($length)), $length);
            return new $class(
                $ffi->payments_response_http_status($response),
                $this->headers('response', $response),
                $body ?? '',
                Json::decode($ffi->payments_response_view($response, null)),
            );
        } finally {
            $ffi->payments_response_free($response);
        }
    }

    private function readPrepared(CData $prepared): PreparedRequest
    {
        $ffi = $this->ffi;
        try {
            $length = $ffi->new('size_t');
            $body = Memory::string($ffi->payments_prepared_body($prepared, FFI::addr($length)), $length);
            return new PreparedRequest(
                $ffi->payments_prepared_method($prepared),
                $ffi->payments_prepared_url($prepared),
                $this->headers('prepared', $prepared),
                $body ?? '',
            );
        } finally {
            $ffi->payments_prepared_free($prepared);
        }
    }

    /** @return list<array{string, string}> */
    private function headers(string $type, CData $handle): array
    {
        $headers = [];
        for ($index = 0, $count = $this->ffi->{"payments_{$type}_header_count"}($handle); $index < $count; $index++) {
            $headers[] = [
                $this->ffi->{"payments_{$type}_header_name"}($handle, $index),
                $this->ffi->{"payments_{$type}_header_value"}($handle, $index),
            ];
        }
        return $headers;
    }
}
