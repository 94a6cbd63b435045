<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;

/**
 * A response of the service: typed members for those that the interface shows,
 * and everything else as received.
 *
 * `$response['payment']['due_date']` reads the body, which is read-only. Amounts
 * are strings. Dumps show neither the body nor the headers; serialize() keeps
 * both.
 *
 * @implements \ArrayAccess<array-key, mixed>
 */
class Response implements \ArrayAccess, \JsonSerializable
{
    use ReadByMethods;

    private Hidden $headers;
    /** The body and the view. */
    private Hidden $content;

    /**
     * @internal
     * @param list<array{string, string}> $headers
     * @param array<string, mixed> $view the typed members, and the body under `response`
     */
    final public function __construct(
        private int $httpStatus,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] array $view,
    ) {
        $this->headers = new Hidden($headers);
        $this->content = new Hidden([$body, $view], $body);
    }

    /** The HTTP status, from 200 to 299. */
    public function httpStatus(): int
    {
        return $this->httpStatus;
    }

    /** The body as received, byte for byte. */
    public function raw(): string
    {
        return $this->content->value()[0];
    }

    /**
     * The body as arrays, with every amount as a string; null if it is not JSON.
     *
     * @return mixed
     */
    public function json(): mixed
    {
        return $this->member('response');
    }

    /**
     * The names and values of the headers, in order.
     *
     * @return list<array{string, string}>
     */
    public function headers(): array
    {
        return $this->headers->value();
    }

    /** The value of the first header with this name, ignoring case. */
    public function header(string $name): ?string
    {
        foreach ($this->headers() as [$own, $value]) {
            if (strcasecmp($own, $name) === 0) {
                return $value;
            }
        }
        return null;
    }

    /**
     * The typed members, and the whole body under `response`. It holds payer data:
     * log `status()` and `httpStatus()` instead.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return $this->content->value()[1];
    }

    /**
     * The value for `json_encode`: `toArray()`.
     *
     * @return array<string, mixed>
     */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }

    /** A typed member. */
    final protected function member(string $name): mixed
    {
        return $this->content->value()[1][$name] ?? null;
    }

    public function offsetExists(mixed $offset): bool
    {
        $json = $this->json();
        return is_array($json) && isset($json[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        $json = $this->json();
        return is_array($json) ? $json[$offset] ?? null : null;
    }

    /** @throws \LogicException always: a response cannot be changed */
    public function offsetSet(mixed $offset, mixed $value): never
    {
        throw new \LogicException('a response is read-only; json() returns an array that you can change');
    }

    /** @throws \LogicException always: a response cannot be changed */
    public function offsetUnset(mixed $offset): never
    {
        throw new \LogicException('a response is read-only; json() returns an array that you can change');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        $shown = ['http_status' => $this->httpStatus, 'body_length' => strlen($this->raw())];
        $status = $this->member('status');
        return $status === null ? $shown : ['status' => $status] + $shown;
    }

    /** @return array{int, list<array{string, string}>, string, array<string, mixed>} */
    public function __serialize(): array
    {
        return [$this->httpStatus, $this->headers(), ...$this->content->value()];
    }

    /** @param array{int, list<array{string, string}>, string, array<string, mixed>} $values */
    public function __unserialize(#[\SensitiveParameter] array $values): void
    {
        $this->__construct(...$values);
    }
}
