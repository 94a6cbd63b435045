<?php

declare(strict_types=1);

namespace Libpayments\Testing;

use Libpayments\Client;
use Libpayments\Configuration;
use Libpayments\Internal\Quietly;
use Libpayments\Internal\Commands\SandboxCommand;

/**
 * The payments service on loopback, for tests. It ends with this process at the
 * latest.
 *
 * It runs the command `payments`: `PAYMENTS_COMMAND` if that is set, else that
 * of the package libpayments/sandbox, else the first on `PATH`. A start takes about a second, because
 * it makes an RSA key: keep one sandbox for many tests, and call `reset()` between
 * them. `UsesSandbox` does that for PHPUnit.
 *
 * @phpstan-import-type Config from Configuration
 */
final class Sandbox
{
    private const VARIABLE = 'PAYMENTS_COMMAND';

    private const SECONDS_TO_END = 10;

    private static int $clientIds = 0;

    /** @var resource|null */
    private $process = null;
    /** The process that started it; forks of it do not end it. */
    private int $owner = 0;
    /** @var array<int, resource> */
    private array $pipes = [];
    /** @var array<string, mixed> */
    private array $given;

    /**
     * Starts a sandbox, and waits until it is ready.
     *
     * @param list<string> $options further options of `payments sandbox`
     * @param ?string $command the path of the command; by default, it is looked up
     * @throws \RuntimeException if the command is not installed, or the sandbox does not start
     */
    public function __construct(array $options = [], ?string $command = null)
    {
        $line = [$command ?? self::findCommand(), 'sandbox', '--json', '--stdin-lifetime', ...$options];
        $process = proc_open($line, [['pipe', 'r'], ['pipe', 'w'], ['file', 'php://stderr', 'w']], $this->pipes);
        $given = $process === false ? null : json_decode((string) fgets($this->pipes[1]), true);
        if (!is_array($given)) {
            throw new \RuntimeException('the sandbox did not start; standard error has the reason');
        }
        $this->process = $process;
        $this->given = $given;
        $this->owner = (int) getmypid();
    }

    /** Ends the sandbox. */
    public function __destruct()
    {
        $this->stop();
    }

    /** Ends the sandbox. Harmless when repeated. */
    public function stop(): void
    {
        if ($this->process === null || $this->owner !== getmypid()) {
            return;
        }
        array_map('fclose', $this->pipes);
        // A fork of this process may hold the other end of a pipe.
        $end = microtime(true) + self::SECONDS_TO_END;
        while (proc_get_status($this->process)['running'] && microtime(true) < $end) {
            usleep(5000);
        }
        proc_terminate($this->process);
        proc_close($this->process);
        $this->process = null;
    }

    /** The address of the service. */
    public function baseUrl(): string
    {
        return $this->given['base_url'];
    }

    /** The address of the page that shows requests and payments. */
    public function pageUrl(): string
    {
        return $this->baseUrl() . '/sandbox/';
    }

    /**
     * Starts over, with a client id that has no token in this process yet: the
     * clients of one process share tokens and backoff by client id. Only the
     * registered keys stay.
     */
    public function reset(): void
    {
        $clientId = sprintf('test-%d-%d', getmypid(), ++self::$clientIds);
        $this->call('POST', 'reset');
        $this->call('POST', 'settings', ['client_id' => $clientId]);
        $this->given['client_id'] = $clientId;
    }

    /**
     * The configuration of a client.
     *
     * @param array<string, mixed> $members replace those of the sandbox; null leaves a member out
     * @return Config
     */
    public function configuration(array $members = []): array
    {
        $given = static fn (mixed $value): bool => $value !== null;
        return array_filter([...$this->given, ...$members], $given);
    }

    /**
     * A client that works.
     *
     * @param array<string, mixed> $members replace those of its configuration
     */
    public function client(array $members = []): Client
    {
        return new Client($this->configuration($members));
    }

    /**
     * Lets the next request meet a fault, such as `response_lost`, `silence`,
     * `declined` or `token_server_blocked`; the page and the README of the
     * sandbox list them.
     *
     * @param ?string $operation whose requests meet it; by default any of the service, or the one that the fault is for
     * @param int $times how many requests meet it
     * @param array<string, mixed> $members members of the fault, such as `delay_ms`
     */
    public function failNext(string $fault, ?string $operation = null, int $times = 1, array $members = []): void
    {
        $script = ['times' => $times, 'then' => [['fault' => $fault, ...$members]]];
        $this->call('POST', 'faults', $operation === null ? $script : ['operation' => $operation, ...$script]);
    }

    /**
     * Lets the payer pay a payment, named by your reference or its hash.
     *
     * @return array<string, mixed> the payment
     */
    public function pay(string $reference): array
    {
        return $this->call('POST', 'payments/' . rawurlencode($reference) . '/confirm')['payment'];
    }

    /**
     * Lets the payer decline a payment, named by your reference or its hash.
     *
     * @return array<string, mixed> the payment
     */
    public function decline(string $reference): array
    {
        return $this->call('POST', 'payments/' . rawurlencode($reference) . '/cancel')['payment'];
    }

    /** @return list<array<string, mixed>> all payments, oldest first */
    public function payments(): array
    {
        return $this->call('GET', 'payments')['payments'];
    }

    /** @return list<array<string, mixed>> all payouts, oldest first */
    public function payouts(): array
    {
        return $this->call('GET', 'payouts')['payouts'];
    }

    /** @return list<array<string, mixed>> all requests, oldest first, or those of one operation */
    public function requests(?string $operation = null): array
    {
        $query = $operation === null ? '' : '?operation=' . rawurlencode($operation);
        return $this->call('GET', "requests$query")['requests'];
    }

    /** Refuses all token requests, until `unblockTokens()` or `reset()`. */
    public function blockTokens(int $status = 429, int $retryAfter = 60): void
    {
        $this->call('POST', 'tokens/block', ['status' => $status, 'retry_after' => $retryAfter]);
    }

    /** Responds to token requests again. */
    public function unblockTokens(): void
    {
        $this->call('POST', 'tokens/block', ['blocked' => false]);
    }

    /** Revokes all tokens that were issued. */
    public function revokeTokens(): void
    {
        $this->call('POST', 'tokens/revoke');
    }

    /**
     * Calls the control API, whose paths begin with `/sandbox/`.
     *
     * @param string $path without `/sandbox/`, for example `settings`
     * @param mixed $body sent as JSON; null sends no body
     * @return array<string, mixed>
     * @throws \RuntimeException if the sandbox refuses the call
     */
    public function call(string $method, string $path, mixed $body = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'ignore_errors' => true,
            'header' => ['Content-Type: application/json', 'Connection: close'],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
        ]]);
        [$response, $head] = Quietly::run(function () use ($path, $context): array {
            $response = file_get_contents($this->pageUrl() . $path, false, $context);
            return [$response, $http_response_header[0] ?? ''];
        });
        $status = (int) (explode(' ', $head)[1] ?? 0);
        if ($response === false || $status !== 200) {
            throw new \RuntimeException("$method $path: " . ($status === 0 ? 'no response' : "$status $response"));
        }
        return json_decode($response, true, 512, JSON_THROW_ON_ERROR);
    }

    private static function findCommand(): string
    {
        $named = getenv(self::VARIABLE);
        if ($named !== false && $named !== '') {
            return $named;
        }
        $installed = SandboxCommand::installed();
        if ($installed !== null) {
            return $installed;
        }
        $name = PHP_OS_FAMILY === 'Windows' ? 'payments.exe' : 'payments';
        foreach (explode(PATH_SEPARATOR, (string) getenv('PATH')) as $folder) {
            if ($folder !== '' && is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
        throw new \RuntimeException(
            'the command payments was not found: run `composer require --dev libpayments/sandbox`, '
            . 'or set ' . self::VARIABLE . ' to its path',
        );
    }
}
