<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Testing\Sandbox as Kit;

/**
 * The command `payments sandbox`, and its control API.
 */
final class Sandbox
{
    private Kit $kit;
    private string $kid;
    /** @var array<string, mixed> */
    private array $settings;

    public function __construct()
    {
        $options = ['--seed', '1', '--require', 'none', '--accept-path', '/ws/*', '--lenient'];
        // With this key, it does not generate one.
        array_push($options, '--public-key', Repository::key('test_rsa_4096_public.pem'));
        $this->kit = new Kit($options, Repository::built('payments'));
        $this->kid = $this->kit->configuration()['kid'];
        $this->settings = $this->kit->call('GET', 'settings');
    }

    public function url(): string
    {
        return $this->kit->baseUrl();
    }

    /** The kid of the test key. */
    public function kid(): string
    {
        return $this->kid;
    }

    /** @return array<string, mixed> */
    public function settings(): array
    {
        return $this->settings;
    }

    /** Resets everything except the counters, with a new client id that has no token yet. */
    public function reset(): void
    {
        $this->kit->reset();
        $this->settings = $this->kit->call('GET', 'settings');
    }

    /** Registers a public key and returns its kid. */
    public function register(string $publicKeyFile): string
    {
        $pem = (string) file_get_contents(Repository::key($publicKeyFile));
        return $this->call('POST', '/sandbox/keys', ['pem' => $pem])['kid'];
    }

    /**
     * The configuration of a client with every credential.
     *
     * @return array<string, mixed>
     */
    public function config(): array
    {
        return [
            'base_url' => $this->url(),
            'environment' => 'sandbox',
            'auth_url' => $this->settings['auth_url'],
            'client_id' => $this->settings['client_id'],
            'client_secret' => $this->settings['client_secret'],
            'integration_key' => $this->settings['integration_key'],
            'key_file' => Repository::key('test_rsa_4096_pkcs8.pem'),
            'kid' => $this->kid,
        ];
    }

    /** @return array<string, mixed> */
    public function stats(): array
    {
        return $this->call('GET', '/sandbox/stats');
    }

    /** @return list<array<string, mixed>> */
    public function requests(string $operation): array
    {
        return $this->call('GET', "/sandbox/requests?operation=$operation")['requests'];
    }

    /** @param array<mixed> ...$faults each for one of the next requests of the operation */
    public function fault(string $operation, array ...$faults): void
    {
        $this->call('POST', '/sandbox/faults', ['operation' => $operation, 'then' => $faults]);
    }

    /**
     * A call of the control API, which must respond with 200.
     *
     * @return array<string, mixed>
     */
    public function call(string $method, string $path, mixed $body = null): array
    {
        return json_decode($this->text($method, $path, $body), true, 512, JSON_THROW_ON_ERROR);
    }

    /** The same, as JSON text. */
    public function text(string $method, string $path, mixed $body = null): string
    {
        $text = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        [$status, $response] = Http::send($method, $this->url() . $path, ['Content-Type: application/json'], $text);
        if ($status !== 200) {
            throw new \RuntimeException("$method $path: $status $response");
        }
        return $response;
    }
}
