<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\NativeClient;
use Libpayments\Internal\OpenHandle;
use Libpayments\Internal\Secret;

/**
 * A call that waits for the response to its request, which you send: once,
 * unchanged, without following redirects, and not when no time is left. Then
 * end it once, with `finish()` or `fail()`. A call that is dropped stays open
 * in the journal. {@see Guzzle::send()} does all of this.
 */
final class OpenCall
{
    use Secret;

    /** @internal */
    public function __construct(
        private NativeClient $client,
        private OpenHandle $open,
        private PreparedRequest $request,
    ) {
    }

    /** Method, URL, headers and the exact body. */
    public function request(): PreparedRequest
    {
        return $this->request;
    }

    /** The milliseconds left for the request; 0 if it must not be sent any more. */
    public function remainingMs(): int
    {
        return $this->open->remainingMs();
    }

    /** Stop reading the response after so many bytes, and pass on one more. */
    public function maxResponseBytes(): int
    {
        return $this->open->maxResponseBytes();
    }

    /**
     * Ends the call with the response, also after the deadline. Returns what
     * the operation's own method returns, or an open call: then its request is
     * to be sent, because there is another bearer token after a 401, or because
     * a query failed.
     *
     * @param array<string, string|list<string>>|list<array{string, string}> $headers
     * @param string $body the bytes as received, not decompressed
     * @param bool $complete whether they are all of the body
     * @param ?\Throwable $cause what `getPrevious()` of an exception returns
     * @throws PaymentsException as of the operation's own method, or with the code `already_ended`
     * @throws \ValueError if the status is none; the call has not ended then
     */
    public function finish(
        int $status,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        bool $complete = true,
        ?\Throwable $cause = null,
    ): Response|self {
        if ($status < 100 || $status > 599) {
            throw new \ValueError('the status must be from 100 to 599');
        }
        return $this->client->finish($this->open, $status, self::pairs($headers), $body, $complete, $cause);
    }

    /**
     * Ends the call without a response. Returns an open call if a query is to
     * be sent again.
     *
     * @param bool $nothingLeft whether certainly nothing of the request was sent; otherwise the outcome is unknown
     * @param ?\Throwable $cause what `getPrevious()` of the exception returns: why the HTTP client failed
     * @throws PaymentsException always, unless the call is a query
     */
    public function fail(bool $nothingLeft, ?\Throwable $cause = null): self
    {
        /** @var self $next */
        $next = $this->client->fail($this->open, $nothingLeft, $cause);
        return $next;
    }

    /**
     * Ends a call that did not reach its caller.
     *
     * @internal
     */
    public function abandon(): void
    {
        $this->client->abandon($this->open);
    }

    /**
     * @param array<array-key, mixed> $headers
     * @return list<array{string, string}>
     */
    private static function pairs(#[\SensitiveParameter] array $headers): array
    {
        $pairs = [];
        foreach ($headers as $name => $values) {
            if (is_int($name) && is_array($values)) {
                $pairs[] = [(string) $values[0], (string) $values[1]];
                continue;
            }
            foreach ((array) $values as $value) {
                $pairs[] = [(string) $name, (string) $value];
            }
        }
        return $pairs;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->request->method(), 'remaining_ms' => $this->remainingMs()];
    }
}
