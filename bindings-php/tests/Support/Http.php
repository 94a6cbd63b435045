<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * An HTTP client that is not the one under test.
 */
final class Http
{
    /**
     * @param list<string> $headers
     * @return array{int, string}
     */
    public static function send(string $method, string $url, array $headers, string $body): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $headers,
            'content' => $body,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
            'timeout' => 30,
        ]]);
        $stream = fopen($url, 'r', false, $context);
        $response = (string) stream_get_contents($stream);
        $head = stream_get_meta_data($stream)['wrapper_data'];
        fclose($stream);
        preg_match('~^HTTP/1\.\d (\d{3})~', $head[0], $status);
        return [(int) $status[1], $response];
    }
}
