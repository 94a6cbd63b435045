<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\CallbackSigner;
use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\TokenStore;

/**
 * Clients that report which of their callbacks runs.
 */
final class Watched
{
    /**
     * A client that reports which of its callbacks runs.
     *
     * @param array<string, mixed> $config
     */
    public static function client(array $config, string $kid, \Closure $at): Client
    {
        $key = $config['key_file'];
        $store = new class ($at) implements TokenStore {
            private MemoryStore $store;

            public function __construct(private \Closure $at)
            {
                $this->store = new MemoryStore();
            }

            public function load(string $key, CallContext $context): ?string
            {
                ($this->at)('load');
                return $this->store->load($key, $context);
            }

            public function save(string $key, string $entry, int $fence, CallContext $context): bool
            {
                ($this->at)('save');
                return $this->store->save($key, $entry, $fence, $context);
            }

            public function deleteIf(string $key, string $token, CallContext $context): bool
            {
                return $this->store->deleteIf($key, $token, $context);
            }

            public function tryLock(string $key, CallContext $context): ?int
            {
                ($this->at)('tryLock');
                return $this->store->tryLock($key, $context);
            }

            public function unlock(string $key, int $fence): void
            {
                $this->store->unlock($key, $fence);
                ($this->at)('unlock');
            }
        };
        return new Client(
            array_diff_key($config, ['key_file' => 0, 'kid' => 0]),
            signer: new CallbackSigner($kid, static function ($input) use ($key, $at): string {
                $at('sign');
                openssl_sign($input->bytes(), $signature, (string) file_get_contents($key), OPENSSL_ALGO_SHA256);
                return $signature;
            }),
            tokenStore: $store,
            observer: static function (array $event) use ($at): void {
                $at($event['event']);
                if (($event['kind'] ?? null) !== null && $event['event'] === 'request_ended') {
                    $at("request_ended $event[kind] $event[outcome]");
                }
            },
        );
    }

    /**
     * Exits at a place, and pays with the same client in a shutdown function.
     *
     * @param array<string, mixed> $config
     */
    public static function exits(string $place, array $config, string $kid): void
    {
        $left = false;
        $client = self::client($config, $kid, static function (string $at) use ($place, &$left): void {
            if ($at === $place && !$left) {
                $left = true;
                exit(0);
            }
        });
        register_shutdown_function(static function () use ($client): void {
            $payment = Samples::payment(['merchant_payment_code' => 'of the shutdown function']);
            echo 'finished ', $client->createPayment($payment)->status();
        });
        $client->createPayment(Samples::payment());
        echo 'not reached';
    }
}
