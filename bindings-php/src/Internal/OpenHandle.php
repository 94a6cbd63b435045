<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\Response;

/**
 * Owns the handle of an open call.
 *
 * @internal
 */
final class OpenHandle
{
    use Secret;

    /** The request with which the call was begun, as JSON text. */
    private Hidden $input;

    /** @param class-string<Response> $class of the response */
    public function __construct(
        private FFI $ffi,
        public readonly CData $pointer,
        public readonly string $operation,
        #[\SensitiveParameter] string $input,
        public readonly string $class,
    ) {
        $this->input = new Hidden($input);
    }

    public function __destruct()
    {
        $this->ffi->payments_open_call_free($this->pointer);
    }

    public function remainingMs(): int
    {
        return $this->ffi->payments_open_call_remaining_ms($this->pointer);
    }

    public function maxResponseBytes(): int
    {
        $request = $this->ffi->payments_open_call_request($this->pointer);
        return $this->ffi->payments_prepared_max_response_bytes($request);
    }

    /** The end of the call, which may follow an execution. */
    public function ending(?\Throwable $cause): Work
    {
        return new Work($this->operation, $this->input->value(), isSent: true, opens: false, cause: $cause);
    }

    /** The end of a call that nobody gets, and so nobody sends. */
    public function abandoning(): Work
    {
        return new Work($this->operation, $this->input->value(), opens: false, isCancelled: true);
    }
}
