<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Secret;

/**
 * A request with every credential in place, for an HTTP client of your own.
 * All of it is secret. Send it once, unchanged, and follow no redirect.
 */
final class PreparedRequest
{
    use Secret;

    /**
     * @internal
     * @param list<array{string, string}> $headers
     */
    public function __construct(
        private string $method,
        #[\SensitiveParameter] private string $url,
        #[\SensitiveParameter] private array $headers,
        #[\SensitiveParameter] private string $body,
    ) {
    }

    /** The method, in upper case. */
    public function method(): string
    {
        return $this->method;
    }

    /** The whole URL. */
    public function url(): string
    {
        return $this->url;
    }

    /**
     * Names and values of the headers. `Host` and `Content-Length` are left to
     * the HTTP client.
     *
     * @return list<array{string, string}>
     */
    public function headers(): array
    {
        return $this->headers;
    }

    /**
     * The headers as CURLOPT_HTTPHEADER takes them.
     *
     * @return list<string>
     */
    public function headerLines(): array
    {
        return array_map(static fn (array $header): string => "$header[0]: $header[1]", $this->headers);
    }

    /** The value of the header of that name, in any case. */
    public function header(string $name): ?string
    {
        foreach ($this->headers as [$own, $value]) {
            if (strcasecmp($own, $name) === 0) {
                return $value;
            }
        }
        return null;
    }

    /** The exact bytes that were signed and must be sent. */
    public function body(): string
    {
        return $this->body;
    }
}
