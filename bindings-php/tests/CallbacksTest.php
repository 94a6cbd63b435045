<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\Exception\CallbackException;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\ConnectException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\SigningException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\Internal\Loader;
use Libpayments\SigningInput;
use Libpayments\StoreUnavailable;
use Libpayments\Tests\Support\BrokenStore;
use Libpayments\Tests\Support\MemoryStore;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Signers, token stores and observers in PHP, and what they throw.
 */
final class CallbacksTest extends TestCase
{
    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testASignerSignsWhatIsSent(): void
    {
        $seen = null;
        $client = $this->signing(static function (SigningInput $input, CallContext $context) use (&$seen): string {
            $seen = [$input->sha256() === hash('sha256', $input->bytes(), true), $context->remainingMs()];
            return self::signature($input->bytes());
        });
        $client->createPayment(Samples::payment());
        self::assertSame('verified', self::$sandbox->requests('create_payment')[0]['signature']);
        self::assertTrue($seen[0], 'the digest is that of the bytes');
        self::assertGreaterThan(20_000, $seen[1]);
    }

    public function testWhatASignerThrowsIsTheCallsError(): void
    {
        $thrown = new \DomainException('the service said: secret');
        $client = $this->signing(static fn (): string => throw $thrown);
        $error = self::failed($client, SigningException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertStringContainsString('DomainException', $error->getMessage());
        self::assertStringNotContainsString('secret', $error->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testASignerThatGivesSomethingElse(): void
    {
        $public = ['public_key' => (string) file_get_contents(Repository::key('test_rsa_4096_public.pem'))];
        foreach ([static fn (): string => '', static fn (): string => 'short', static fn (): int => 5] as $sign) {
            $error = self::failed($this->signing($sign, $public), SigningException::class);
            self::assertFalse($error->mayHaveBeenExecuted());
        }
        self::assertInstanceOf(\TypeError::class, $error->getPrevious());
    }

    public function testASignatureOfAWrongLengthIsNotSent(): void
    {
        foreach ([0, 256, 513] as $length) {
            $client = $this->signing(static fn (): string => str_repeat("\1", $length));
            $error = self::failed($client, SigningException::class);
            self::assertSame('signature_length', $error->getErrorCode());
            self::assertFalse($error->mayHaveBeenExecuted());
        }
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testAWrongSignatureIsNotSent(): void
    {
        $public = (string) file_get_contents(Repository::key('test_rsa_4096_public.pem'));
        $client = $this->signing(static fn (): string => str_repeat('x', 512), ['public_key' => $public]);
        self::failed($client, SigningException::class);
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testAnObserverIsToldOfEverything(): void
    {
        $events = [];
        $client = $this->observed(static function (array $event) use (&$events): void {
            $events[] = $event;
        });
        $client->createPayment(Samples::payment());
        $names = array_column($events, 'event');
        self::assertSame('request_started', $names[0]);
        self::assertContains('token_fetched', $names);
        self::assertSame('request_ended', end($names));
        self::assertSame(200, end($events)['http_status']);
        self::assertStringNotContainsString('Maria', (string) json_encode($events));
    }

    public function testWhatAnObserverThrowsEndsTheCallBeforeAnythingIsSent(): void
    {
        foreach (['request_started', 'token_fetched', 'attempt'] as $moment) {
            $thrown = new \RuntimeException("in $moment");
            $client = $this->observed(self::throwsIn($moment, $thrown));
            $error = self::failed($client, CancelledException::class);
            self::assertSame($thrown, $error->getPrevious());
            self::assertNotInstanceOf(UnknownOutcome::class, $error);
            self::assertStringContainsString('RuntimeException', $error->getMessage());
        }
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testWhatAnObserverThrowsAfterTheResponseDoesNotLoseIt(): void
    {
        $thrown = new \Error('disk full');
        $client = $this->observed(self::throwsIn('request_ended', $thrown));
        $error = self::failed($client, CallbackException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertInstanceOf(UnknownOutcome::class, $error);
        self::assertTrue($error->mayHaveBeenExecuted());
        self::assertSame('PE', $error->getResponse()->status());
        self::assertStringContainsString('getResponse()', $error->getMessage());
        self::assertCount(1, self::$sandbox->requests('create_payment'));
    }

    public function testWhatAnObserverThrowsWhereNothingIsSentLeavesNothingUnknown(): void
    {
        $thrown = new \RuntimeException('of the observer');
        $calls = [
            'create_payment' => static fn (Client $of): mixed => $of->prepare('create_payment', Samples::payment()),
            'access_token' => static fn (Client $of): mixed => $of->accessToken(),
        ];
        foreach ($calls as $operation => $call) {
            foreach (['token_fetched', 'token_reused'] as $moment) {
                self::$sandbox->reset();
                $isBroken = false;
                $client = $this->observed(static function (array $event) use ($moment, $thrown, &$isBroken): void {
                    if ($isBroken && $event['event'] === $moment) {
                        throw $thrown;
                    }
                });
                if ($moment === 'token_reused') {
                    $client->accessToken();
                }
                $isBroken = true;
                $error = self::failedIn($client, $call, CancelledException::class);
                self::assertNotInstanceOf(UnknownOutcome::class, $error, "$operation in $moment");
                self::assertSame($thrown, $error->getPrevious());
                self::assertSame($operation, $error->getOperation());
                self::assertStringContainsString('RuntimeException', $error->getMessage());
                self::assertStringNotContainsString('was executed', $error->getMessage());
            }
        }
    }

    /**
     * @dataProvider sent
     * @param \Closure(Client, string): mixed $call is given the hash of a payment
     */
    public function testWhatIsThrownAfterTheResponseNamesOperationAndReference(\Closure $call): void
    {
        $hash = (new Client(self::$sandbox->config()))->createPayment(Samples::payment())->hash();
        self::$sandbox->text('POST', "/sandbox/payments/$hash/confirm");
        $act = static fn (Client $client): mixed => $call($client, $hash);
        $nobody = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x'], shared: false);
        // What the core says of the same request.
        $expected = self::failedIn($nobody, $act, ConnectException::class);
        self::assertNotNull($expected->getReference());
        $client = $this->observed(self::throwsIn('request_ended', new \Error('disk full')));
        $error = self::failedIn($client, $act, CallbackException::class);
        self::assertSame(200, $error->getResponse()->httpStatus());
        self::assertSame($expected->getOperation(), $error->getOperation());
        self::assertSame($expected->getReference(), $error->getReference());
    }

    /** @return array<string, array{\Closure(Client, string): mixed}> */
    public static function sent(): array
    {
        $payment = Samples::payment(['merchant_payment_code' => 'ordem "ü"']);
        $code = ['merchant_payment_code' => 'order-1001'];
        $samples = json_decode((string) file_get_contents(Repository::shared('samples.json')), true);
        [$payout, $tracking] = [$samples['pix_payout'], $samples['tracking']];
        return [
            'a payment' => [static fn (Client $of): mixed => $of->createPayment($payment)],
            'as text' => [static fn (Client $of): mixed => $of->call('create_payment', (string) json_encode($payment))],
            'a query' => [static fn (Client $of): mixed => $of->queryPayment($code)],
            'a query by hash' => [static fn (Client $of, string $hash): mixed => $of->queryPayment(['hash' => $hash])],
            'a refund' => [static fn (Client $of, string $hash): mixed => $of->refundPayment(['hash' => $hash])],
            'a payout' => [static fn (Client $of): mixed => $of->createPayout($payout)],
            'tracking codes' => [static fn (Client $of): mixed => $of->registerTracking($tracking)],
            'other bytes' => [static fn (Client $of): mixed => $of->send('POST', '/ws/x', '{}', reference: 'x-7')],
        ];
    }

    public function testTheClientWorksAfterACallbackThrew(): void
    {
        $isBroken = true;
        $client = $this->observed(static function () use (&$isBroken): void {
            if ($isBroken) {
                throw new \RuntimeException('once');
            }
        });
        self::failed($client, CancelledException::class);
        $isBroken = false;
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
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

    public function testAStoreThatIsUnavailableIsPassedOver(): void
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

    public function testWhatAStoreThrowsIsTheCallsError(): void
    {
        $thrown = new \LogicException('a bug of the store');
        $client = new Client(self::$sandbox->config(), tokenStore: new BrokenStore($thrown));
        $error = self::failed($client, PaymentsException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertFalse($error->mayHaveBeenExecuted());
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testACallbackThatCallsItsClientIsRefused(): void
    {
        $client = null;
        $inner = null;
        $client = $this->observed(static function () use (&$client, &$inner): void {
            try {
                $client->queryPayment(['hash' => 'x']);
            } catch (PaymentsException $error) {
                $inner = $error;
            }
        });
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
        self::assertStringContainsString('called the client that it serves', $inner->getMessage());
    }

    public function testACallbackMayUseAnotherClient(): void
    {
        $other = new Client(self::$sandbox->config(), shared: false);
        $client = $this->observed(static function (array $event) use ($other): void {
            if ($event['event'] === 'request_started') {
                $other->accessToken();
            }
        });
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
    }

    public function testAfterAnExitInACallbackTheClientAndANewOneWork(): void
    {
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/autoload.php', true) . ';'
            . '$config = ' . var_export(self::$sandbox->config(), true) . ';'
            . '$payment = ' . var_export(Samples::payment(), true) . ';'
            . '$exits = static function (array $event): void {'
            . '    $event["event"] !== "token_fetched" || exit(0);'
            . '};'
            . '$client = new Libpayments\Client($config, observer: $exits);'
            . 'register_shutdown_function(static function () use ($client, $config, $payment): void {'
            . '    $other = new Libpayments\Client($config, observer: static fn (array $event) => null);'
            . '    echo $other->tokenStatus()->isUsable() ? "usable" : "none", " ";'
            . '    try { echo $client->createPayment($payment)->status();'
            . '    } catch (Libpayments\Exception\PaymentsException $error) { echo $error->getErrorCode(); }'
            . '    $payment["payment"]["merchant_payment_code"] = "other";'
            . '    echo " ", $other->createPayment($payment)->status();'
            . '    exit(0);'
            . '});'
            . '$client->accessToken();';
        $library = [Loader::VARIABLE => Repository::built('libpayments.so')];
        self::assertSame('usable PE PE', Php::run($code, [], $library));
    }

    public function testCallbacksOfSeveralClientsAreKeptApart(): void
    {
        $seen = [];
        $clients = [];
        foreach (['a', 'b', 'c'] as $name) {
            $clients[$name] = $this->observed(static function () use ($name, &$seen): void {
                $seen[$name] = true;
            });
        }
        unset($clients['b']);
        $clients['c']->tokenStatus();
        $clients['c']->accessToken();
        self::assertSame(['c' => true], $seen);
    }

    public function testACycleOfClientAndCallbackIsCollected(): void
    {
        $holder = new \stdClass();
        $holder->client = $this->observed(static function () use ($holder): void {
            $holder->seen = true;
        });
        $gone = \WeakReference::create($holder->client);
        $holder->client->accessToken();
        self::assertTrue($holder->seen);
        unset($holder);
        gc_collect_cycles();
        self::assertNull($gone->get());
    }

    public function testAKidThatIsNotUtf8(): void
    {
        $this->expectException(ConfigException::class);
        $signer = new CallbackSigner("\xff", static fn (): string => '');
        new Client(['base_url' => 'http://127.0.0.1:1'], signer: $signer);
    }

    /** @param array<string, mixed> $config */
    private function signing(callable $sign, array $config = []): Client
    {
        $config += array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        return new Client($config, signer: new CallbackSigner(self::$sandbox->kid(), $sign));
    }

    private function observed(callable $observer): Client
    {
        return new Client(self::$sandbox->config(), observer: $observer, shared: false);
    }

    private static function throwsIn(string $moment, \Throwable $thrown): \Closure
    {
        return static function (array $event) use ($moment, $thrown): void {
            if ($event['event'] === $moment) {
                throw $thrown;
            }
        };
    }

    private static function signature(string $bytes): string
    {
        $key = (string) file_get_contents(Repository::key('test_rsa_4096_pkcs8.pem'));
        openssl_sign($bytes, $signature, $key, OPENSSL_ALGO_SHA256);
        return $signature;
    }

    /**
     * @template T of PaymentsException
     * @param class-string<T> $class
     * @return T
     */
    private static function failed(Client $client, string $class): PaymentsException
    {
        return self::failedIn($client, static fn (): mixed => $client->createPayment(Samples::payment()), $class);
    }

    /**
     * @template T of PaymentsException
     * @param \Closure(Client): mixed $call
     * @param class-string<T> $class
     * @return T
     */
    private static function failedIn(Client $client, \Closure $call, string $class): PaymentsException
    {
        try {
            $call($client);
        } catch (PaymentsException $error) {
            self::assertInstanceOf($class, $error);
            return $error;
        }
        self::fail('the call succeeded');
    }
}
