<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;
use Libpayments\Internal\Secret;

/**
 * A request with all credentials, for your own HTTP client. All of it is
 * secret. Send it once, unchanged, and follow no redirects.
 *
 * It has no journal and no protection against a second payment: sending it
 * twice, as an HTTP client may do on its own, can pay twice. It has no outcome:
 * the library does not learn whether it was sent or executed.
 */
final class PreparedRequest
{
    use Secret;
    use ReadByMethods;

    /** The URL, the headers and the body. */
    private Hidden $parts;

    /**
     * @internal
     * @param list<array{string, string}> $headers
     */
    public function __construct(
        private string $method,
        #[\SensitiveParameter] string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
    ) {
        $this->parts = new Hidden([$url, $headers, $body]);
    }

    /** The method, in upper case. */
    public function method(): string
    {
        return $this->method;
    }

    /** The whole URL. */
    public function url(): string
    {
        return $this->parts->value()[0];
    }

    /**
     * The names and values of the headers. The HTTP client adds `Host` and
     * `Content-Length`.
     *
     * @return list<array{string, string}>
     */
    public function headers(): array
    {
        return $this->parts->value()[1];
    }

    /**
     * The headers in the form of CURLOPT_HTTPHEADER.
     *
     * @return list<string>
     */
    public function headerLines(): array
    {
        return array_map(static fn (array $header): string => "$header[0]: $header[1]", $this->headers());
    }

    /** The value of the header with this name, ignoring case. */
    public function header(string $name): ?string
    {
        foreach ($this->headers() as [$own, $value]) {
            if (strcasecmp($own, $name) === 0) {
                return $value;
            }
        }
        return null;
    }

    /** The exact bytes that were signed. Send them unchanged. */
    public function body(): string
    {
        return $this->parts->value()[2];
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'body_length' => strlen($this->body())];
    }
}
