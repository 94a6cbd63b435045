<?php

declare(strict_types=1);

namespace Libpayments;

use GuzzleHttp\ClientInterface;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Psr7\FnStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Utils;
use GuzzleHttp\RequestOptions;
use Libpayments\Exception\PaymentsException;
use Psr\Http\Message\ResponseInterface;

/**
 * Sends the requests of open calls with Guzzle 7:
 *
 *     $call = $client->begin('create_payment', ['payment' => $payment]);
 *     $response = Guzzle::send($call, new \GuzzleHttp\Client());
 *
 * It follows no redirect, uses no cookies, headers or authentication of the
 * Guzzle client, does not start after the deadline and ends at it. Each request
 * gets a connection of its own, because curl sends a request again if a kept
 * connection breaks. A middleware of yours must not send it again.
 */
final class Guzzle
{
    /** Errors of curl that can come before anything of the request is sent: host, connection, TLS, time. */
    private const BEFORE_SENDING = [5, 6, 7, 28, 35];

    /** The options of a Guzzle client that would change the request. */
    private const NONE = ['headers', 'query', 'auth', 'body', 'json', 'form_params', 'multipart', 'delay', 'stream',
        'expect', 'version', 'decode_content'];

    private ?ResponseInterface $head = null;
    private string $body = '';
    private int $transfers = 0;

    private function __construct(private OpenCall $call)
    {
    }

    /**
     * Sends the request of an open call, again if necessary, and returns the response.
     *
     * @throws PaymentsException as of the operation's own method; `getPrevious()` says why Guzzle failed
     */
    public static function send(OpenCall $call, ClientInterface $http): Response
    {
        do {
            $call = (new self($call))->sendOnce($http);
        } while ($call instanceof OpenCall);
        return $call;
    }

    private function sendOnce(ClientInterface $http): Response|OpenCall
    {
        $call = $this->call;
        if ($call->remainingMs() <= 0) {
            return $call->fail(nothingLeft: true);
        }
        $prepared = $call->request();
        $request = new Request($prepared->method(), $prepared->url(), [], $prepared->body());
        foreach ($prepared->headers() as [$name, $value]) {
            $request = $request->withAddedHeader($name, $value);
        }
        $thrown = null;
        try {
            $http->send($request, $this->options());
        } catch (GuzzleException $thrown) {
        } catch (\Throwable $other) {
            // What a middleware throws, or a signal handler: it surfaces, and the call has ended.
            try {
                $this->ended($other);
            } catch (PaymentsException) {
            }
            throw $other;
        }
        return $this->ended($thrown);
    }

    /** @return array<string, mixed> */
    private function options(): array
    {
        // curl counts whole milliseconds, and must not end before the deadline.
        $seconds = ($this->call->remainingMs() + 1) / 1000;
        $limit = $this->call->maxResponseBytes();
        $write = function (string $bytes) use ($limit): int {
            if (strlen($this->body) > $limit) {
                return 0;
            }
            $this->body .= $bytes;
            return strlen($bytes);
        };
        return array_fill_keys(self::NONE, null) + [
            RequestOptions::ALLOW_REDIRECTS => false,
            RequestOptions::HTTP_ERRORS => false,
            RequestOptions::COOKIES => false,
            RequestOptions::TIMEOUT => $seconds,
            RequestOptions::CONNECT_TIMEOUT => $seconds,
            RequestOptions::SINK => FnStream::decorate(Utils::streamFor(''), ['write' => $write]),
            RequestOptions::ON_HEADERS => function (ResponseInterface $head): void {
                $this->head = $head;
            },
            RequestOptions::ON_STATS => function (): void {
                $this->transfers++;
            },
            'curl' => [CURLOPT_FRESH_CONNECT => true, CURLOPT_FORBID_REUSE => true],
        ];
    }

    private function ended(#[\SensitiveParameter] ?\Throwable $thrown): Response|OpenCall
    {
        $cause = self::withoutRequest($thrown);
        if ($this->head === null) {
            return $this->call->fail($this->isUnsent($thrown), $cause);
        }
        // A body that is too large was not cut by the connection.
        $complete = $thrown === null || strlen($this->body) > $this->call->maxResponseBytes();
        $headers = $this->head->getHeaders();
        return $this->call->finish($this->head->getStatusCode(), $headers, $this->body, $complete, $cause);
    }

    /** What was thrown, without the request that exceptions of Guzzle hold. */
    private static function withoutRequest(#[\SensitiveParameter] ?\Throwable $thrown): ?\Throwable
    {
        if (!$thrown instanceof ConnectException && !$thrown instanceof RequestException) {
            return $thrown instanceof GuzzleException ? new \RuntimeException($thrown::class) : null;
        }
        return new \RuntimeException($thrown::class . ': ' . ($thrown->getHandlerContext()['error'] ?? ''));
    }

    /** Whether one transfer was tried, and curl has sent nothing of it. */
    private function isUnsent(#[\SensitiveParameter] ?\Throwable $thrown): bool
    {
        if (!$thrown instanceof ConnectException && !$thrown instanceof RequestException) {
            return false;
        }
        $context = $thrown->getHandlerContext();
        return $this->transfers <= 1
            && ($context['request_size'] ?? null) === 0
            && in_array($context['errno'] ?? null, self::BEFORE_SENDING, true);
    }
}
