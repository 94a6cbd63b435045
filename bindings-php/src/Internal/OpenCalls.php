<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\Exception\PaymentsException;
use Libpayments\OpenCall;
use Libpayments\PreparedRequest;
use Libpayments\Response;

/**
 * The calls of a client whose requests PHP sends, and their requests.
 *
 * @internal
 */
trait OpenCalls
{
    /** @param class-string<Response> $class of the response */
    public function begin(
        string $operation,
        #[\SensitiveParameter] string $input,
        #[\SensitiveParameter] string $body,
        string $class,
        ?int $timeoutMs,
        ?string $traceparent,
    ): OpenCall {
        $perform = $this->ready('payments_client_begin', $operation, $input, $body);
        $work = new Work($operation, $input, false, $timeoutMs, $traceparent, opens: true);
        $read = fn (CData $pointer): OpenCall => $this->opened(
            new OpenHandle($this->ffi, $pointer, $operation, $work->request, $class),
        );
        return $this->call($work, 'payments_open_call *', $perform, $read);
    }

    /** @param list<array{string, string}> $headers */
    public function finish(
        OpenHandle $open,
        int $status,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        bool $complete,
        ?\Throwable $cause,
    ): Response|OpenCall {
        $ffi = $this->ffi;
        $response = $ffi->payments_open_call_response($open->pointer);
        $ffi->payments_transport_response_set_status($response, $status);
        foreach ($headers as [$name, $value]) {
            $ffi->payments_transport_response_add_header($response, $name, strlen($name), $value, strlen($value));
        }
        $bytes = new Bytes($ffi, $body);
        $ffi->payments_transport_response_write_body($response, $bytes->pointer, $bytes->length);
        if (!$complete) {
            $kind = $open->remainingMs() > 0 ? $ffi->PAYMENTS_STATUS_TRANSPORT : $ffi->PAYMENTS_STATUS_TIMEOUT;
            $message = 'the HTTP client failed before the response was complete; see its own error for the reason';
            $ffi->payments_transport_response_fail($response, $kind, 0, $message, strlen($message));
        }
        $work = $open->ending($cause);
        return $this->end($open, $work, static fn (?CData $call, CData $out, CData $next, CData $error): int
            => $ffi->payments_open_call_finish($open->pointer, $call, $out, $next, $error));
    }

    public function fail(OpenHandle $open, bool $nothingLeft, ?\Throwable $cause): Response|OpenCall
    {
        return $this->failed($open, $open->ending($cause), $nothingLeft);
    }

    /** Ends a call that nobody gets: its entry in the journal would stay open. */
    public function abandon(OpenHandle $open): void
    {
        try {
            $this->failed($open, $open->abandoning(), true);
        } catch (PaymentsException) {
            // The caller is told what kept the call from it.
        }
    }

    private function failed(OpenHandle $open, Work $work, bool $nothingLeft): Response|OpenCall
    {
        $left = (int) $nothingLeft;
        return $this->end($open, $work, fn (?CData $call, CData $out, CData $next, CData $error): int
            => $this->ffi->payments_open_call_fail($open->pointer, $left, $call, $out, $next, $error));
    }

    /** @param \Closure(?CData, CData, CData, CData): int $perform */
    private function end(OpenHandle $open, Work $work, \Closure $perform): Response|OpenCall
    {
        $next = $this->ffi->new('payments_open_call *');
        $place = $this->ffi->cast('void *', FFI::addr($next));
        $read = fn (CData $response): Response|OpenCall => FFI::isNull($next)
            ? $this->readResponse($response, $open->class)
            : $this->opened(new OpenHandle($this->ffi, $next, $open->operation, $work->request, $open->class));
        $ends = static fn (?CData $call, CData $out, CData $error): int => $perform($call, $out, $place, $error);
        return $this->call($work, 'payments_response *', $ends, $read);
    }

    private function opened(OpenHandle $open): OpenCall
    {
        $request = $this->prepared($this->ffi->payments_open_call_request($open->pointer));
        return new OpenCall($this, $open, $request);
    }

    private function readPrepared(CData $prepared): PreparedRequest
    {
        try {
            return $this->prepared($prepared);
        } finally {
            $this->ffi->payments_prepared_free($prepared);
        }
    }

    private function prepared(CData $prepared): PreparedRequest
    {
        $ffi = $this->ffi;
        $length = $ffi->new('size_t');
        $body = Memory::string($ffi->payments_prepared_body($prepared, FFI::addr($length)), $length);
        return new PreparedRequest(
            $ffi->payments_prepared_method($prepared),
            $ffi->payments_prepared_url($prepared),
            $this->headers('prepared', $prepared),
            $body ?? '',
        );
    }

    /**
     * Calls a function that makes an operation ready to be sent.
     *
     * @return \Closure(?CData, CData, CData): int
     */
    private function ready(
        string $function,
        string $operation,
        #[\SensitiveParameter] string $input,
        #[\SensitiveParameter] string $body,
    ): \Closure {
        $inputBytes = new Bytes($this->ffi, $input);
        $bytes = new Bytes($this->ffi, $body);
        return fn (?CData $call, CData $out, CData $error): int => $this->ffi->{$function}(
            $this->client,
            $operation,
            strlen($operation),
            $inputBytes->pointer,
            $inputBytes->length,
            $bytes->pointer,
            $bytes->length,
            $call,
            $out,
            $error,
        );
    }
}
