<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\Executed\ExecutedCancelledException;
use Libpayments\Exception\ExecutedOutcome;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\StoreUnavailable;
use Libpayments\Tests\Support\BrokenStore;
use Libpayments\Tests\Support\FailedCalls;
use Libpayments\Tests\Support\MemoryStore;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\Watched;
use PHPUnit\Framework\TestCase;

/**
 * Token stores in PHP, and their exceptions.
 */
final class TokenStoreTest extends TestCase
{
    use FailedCalls;

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testATokenStoreIsAskedAndKeepsTheToken(): void
    {
        $store = new MemoryStore();
        $client = new Client(self::$sandbox->config(), tokenStore: $store);
        $client->createPayment(Samples::payment());
        self::assertSame(['load', 'tryLock', 'save', 'unlock'], array_values(array_unique($store->calls)));
        self::assertMatchesRegularExpression('/^[0-9a-f]{64}$/', (string) array_key_first($store->entries));
        $entry = json_decode((string) reset($store->entries), true, 16, JSON_THROW_ON_ERROR);
        self::assertSame($client->accessToken()->accessToken(), $entry['token']['value']);
        $tokens = self::$sandbox->stats()['token_requests'];
        (new Client(self::$sandbox->config(), tokenStore: $store, shared: false))->accessToken();
        self::assertSame($tokens, self::$sandbox->stats()['token_requests'], 'two clients with one store share it');
        self::$sandbox->text('POST', '/sandbox/tokens/revoke');
        $client->queryPayment(['merchant_payment_code' => 'order-1001']);
        self::assertContains('deleteIf', $store->calls);
        self::assertSame($tokens + 1, self::$sandbox->stats()['token_requests']);
    }

    public function testAnUnavailableStoreIsBypassed(): void
    {
        $events = [];
        $client = new Client(
            self::$sandbox->config(),
            tokenStore: new BrokenStore(new StoreUnavailable('the host is down')),
            observer: static function (array $event) use (&$events): void {
                $events[] = $event['event'];
            },
        );
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
        self::assertContains('store_bypassed', $events);
    }

    public function testAnExceptionOfAStoreIsTheCallsError(): void
    {
        $thrown = new \LogicException('a bug of the store');
        $client = new Client(self::$sandbox->config(), tokenStore: new BrokenStore($thrown));
        $error = self::failed($client, PaymentsException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertFalse($error->mayHaveBeenExecuted());
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testAnExceptionOfAStoreDoesNotLoseTheResponse(): void
    {
        $saved = 0;
        $thrown = new \Error('disk full');
        $at = static function (string $place) use (&$saved, $thrown): void {
            // The first token, its refusal, the next one, and its acceptance by the service.
            if ($place === 'save' && ++$saved === 4) {
                throw $thrown;
            }
        };
        $client = Watched::client(self::$sandbox->config(), self::$sandbox->kid(), $at);
        $client->accessToken();
        self::$sandbox->text('POST', '/sandbox/tokens/revoke');
        $error = self::failed($client, ExecutedCancelledException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertSame('interrupted_after_response', $error->getErrorCode());
        self::assertInstanceOf(ExecutedOutcome::class, $error);
        self::assertTrue($error->mayHaveBeenExecuted());
        self::assertSame('PE', $error->getResponse()->status());
        self::assertStringContainsString('getResponse()', $error->getMessage());
        self::assertCount(2, self::$sandbox->requests('create_payment'));
    }

    public function testAnExceptionOfAStoreBeforeSendingLeavesNothingUnknown(): void
    {
        $calls = [
            'create_payment' => static fn (Client $of): mixed => $of->prepare('create_payment', Samples::payment()),
            'access_token' => static fn (Client $of): mixed => $of->accessToken(),
        ];
        foreach ($calls as $operation => $call) {
            foreach (['load', 'save', 'unlock'] as $place) {
                self::$sandbox->reset();
                $thrown = new \RuntimeException("in $place");
                $at = static fn (string $now): mixed => $now === $place ? throw $thrown : null;
                $client = Watched::client(self::$sandbox->config(), self::$sandbox->kid(), $at);
                $error = self::failedIn($client, $call, CancelledException::class);
                self::assertNotInstanceOf(UnknownOutcome::class, $error, "$operation in $place");
                self::assertSame($thrown, $error->getPrevious());
                self::assertSame($operation, $error->getOperation());
                self::assertStringContainsString('RuntimeException', $error->getMessage());
                self::assertStringNotContainsString('was executed', $error->getMessage());
            }
        }
    }
}
