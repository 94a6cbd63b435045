<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Decimal;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\TimeoutException;
use Libpayments\Exception\ValidationException;
use Libpayments\PaymentResponse;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

use function Libpayments\decimal;

/**
 * Behavior that only PHP has: arrays, numbers, texts, objects and their life.
 */
final class ClientTest extends TestCase
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

    public function testAResponseIsReadByMethodsAndAsAnArray(): void
    {
        $payment = $this->client()->createPayment(Samples::payment());
        self::assertSame(PaymentResponse::PENDING, $payment->status());
        self::assertFalse($payment->isPaid());
        self::assertSame($payment->hash(), $payment['payment']['hash']);
        self::assertSame('100.10', $payment['payment']['amount_br'], 'an amount is a text');
        self::assertTrue(isset($payment['status']));
        self::assertFalse(isset($payment['nothing']));
        self::assertNull($payment['nothing']);
        self::assertSame($payment->json(), json_decode($payment->raw(), true));
        self::assertSame('application/json', $payment->header('CONTENT-TYPE'));
        self::assertSame(200, $payment->httpStatus());
        self::assertEquals($payment, unserialize(serialize($payment)), 'responses may be kept');
    }

    public function testAResponseCannotBeChanged(): void
    {
        $payment = $this->client()->createPayment(Samples::payment());
        foreach (
            [static function () use ($payment): void {
                $payment['status'] = 'CO';
            }, static function () use ($payment): void {
                unset($payment['status']);
            }] as $change
        ) {
            try {
                $change();
                self::fail('it was changed');
            } catch (\LogicException $error) {
                self::assertStringContainsString('is read-only', $error->getMessage());
            }
        }
    }

    /** @dataProvider amounts */
    public function testAmountsReachTheWireAsTheyAre(mixed $amount, string $digits): void
    {
        $this->client()->createPayment(Samples::payment(['amount_total' => $amount]));
        $body = base64_decode(self::$sandbox->requests('create_payment')[0]['body_base64'], true);
        self::assertStringContainsString("\"amount_total\":$digits", $body);
    }

    /** @return array<string, array{mixed, string}> */
    public static function amounts(): array
    {
        return [
            'text' => ['100.10', '100.10'],
            'long text' => ['12345678901234567.89', '12345678901234567.89'],
            'int' => [100, '100'],
            'object' => [new class {
                public function __toString(): string
                {
                    return '7.50';
                }
            }, '7.50'],
        ];
    }

    /** @dataProvider whatCannotBeSent */
    public function testValuesThatPhpWouldChangeAreRefusedByTheirPath(
        mixed $value,
        string $code,
        string $part,
        string $member = 'price',
    ): void {
        try {
            $this->client()->registerTracking(['order_number' => 'o', 'tracking_code' => ['A', [$member => $value]]]);
            self::fail('it was sent');
        } catch (ValidationException $error) {
            self::assertSame("tracking_code[1].$member", $error->getPath());
            self::assertSame($code, $error->getErrorCode());
            self::assertSame('register_tracking', $error->getOperation());
            self::assertStringContainsString($part, $error->getMessage());
            self::assertFalse($error->mayHaveBeenExecuted());
        }
    }

    /** @return array<string, array{0: mixed, 1: string, 2: string, 3?: string}> */
    public static function whatCannotBeSent(): array
    {
        return [
            'float' => [100.10, 'wrong_type', 'an amount as a string, for example "100.10"', 'amount'],
            'whole float' => [100.0, 'wrong_type', 'a whole number as an int', 'netAmount'],
            'not a number' => [NAN, 'wrong_type', 'NaN or Infinity'],
            'infinity' => [-INF, 'wrong_type', 'NaN or Infinity'],
            'float that lost digits' => [12345678901234567890.0, 'wrong_type', 'may have lost digits'],
            'Latin-1' => ["Jos\xe9", 'json_unicode', 'not UTF-8'],
            'object' => [new \DateTimeImmutable(), 'wrong_type', 'DateTimeImmutable'],
            'gaps' => [[1 => 'a', 3 => 'b'], 'wrong_type', 'array_values()'],
            'closure' => [static fn (): int => 1, 'wrong_type', 'Closure'],
            'resource' => [STDERR, 'wrong_type', 'resource'],
        ];
    }

    public function testFloatsInConfigurationsAreRefusedAsWell(): void
    {
        try {
            new Client(['base_url' => 'http://127.0.0.1:1', 'timeout_ms' => 1.5]);
            self::fail('it was accepted');
        } catch (ConfigException $error) {
            self::assertSame('timeout_ms', $error->getPath());
            self::assertStringContainsString('a whole number as an int', $error->getMessage());
        }
    }

    public function testCallbacksInConfigurationsAreRefusedWithAdvice(): void
    {
        $callback = static fn (): int => 1;
        $callbacks = ['signer' => 'signer', 'token_store' => 'tokenStore', 'observer' => 'observer'];
        foreach ($callbacks as $name => $parameter) {
            try {
                new Client(['base_url' => 'http://127.0.0.1:1', $name => $callback]);
                self::fail('it was accepted');
            } catch (ConfigException $error) {
                self::assertSame([$name, 'callback_misplaced'], [$error->getPath(), $error->getErrorCode()]);
                self::assertStringContainsString("new Client(\$config, $parameter: ", $error->getMessage());
            }
        }
    }

    public function testNamesThatAreNotUtf8AndEndlessArraysAreRefused(): void
    {
        $endless = [];
        $endless['a'] = &$endless;
        foreach ([["\xff" => 1], $endless] as $request) {
            try {
                $this->client()->createPayment($request);
                self::fail('it was sent');
            } catch (ValidationException $error) {
                self::assertStringStartsWith('json_', $error->getErrorCode());
            }
        }
    }

    public function testEmptyArraysAndEmptyObjects(): void
    {
        $client = $this->client();
        $body = static fn (array $more): string
            => $client->prepare('create_payment', Samples::payment() + $more)->body();
        self::assertStringContainsString('"a":[]', $body(['a' => []]));
        self::assertStringContainsString('"a":{}', $body(['a' => (object) []]));
        self::assertStringContainsString('"a":{"2":"x"}', $body(['a' => (object) [2 => 'x']]));
        self::assertStringContainsString('"a":{"0":"x"}', $body(['a' => (object) ['x']]));
        self::assertStringContainsString('"a":{"2":"x","b":1}', $body(['a' => [2 => 'x', 'b' => 1]]));
        self::assertStringContainsString('"a":["x",null,true]', $body(['a' => ['x', null, true]]));
        self::assertStringContainsString('"a":"é/\\u0000"', $body(['a' => "é/\0"]));
    }

    public function testConfigurationsComeFromAFileAndFromTheEnvironment(): void
    {
        $folder = new Folder();
        copy(Repository::key('test_rsa_4096_pkcs8.pem'), $folder->file('key.pem'));
        $config = ['key_file' => 'key.pem'] + self::$sandbox->config();
        $client = Client::fromFile($folder->file('payments.json', (string) json_encode($config)));
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
        $names = [];
        foreach (self::$sandbox->config() as $name => $value) {
            $names[] = $variable = 'PAYMENTS_' . strtoupper($name);
            putenv("$variable=$value");
        }
        try {
            $client = Client::fromEnv();
        } finally {
            array_map(putenv(...), $names);
        }
        self::assertSame('PE', $client->queryPayment(['merchant_payment_code' => 'order-1001'])->status());
    }

    public function testAMissingFile(): void
    {
        $this->expectException(ConfigException::class);
        $this->expectExceptionMessage('/nowhere/payments.json');
        Client::fromFile('/nowhere/payments.json');
    }

    public function testClientsOfOneConfigurationShareTokenAndConnections(): void
    {
        $config = ['bearer_scheme' => 'Bearer', 'query_retries' => 1] + self::$sandbox->config();
        $before = self::$sandbox->stats();
        for ($count = 0; $count < 5; $count++) {
            (new Client($config))->accessToken();
        }
        self::assertSame($before['token_requests'] + 1, self::$sandbox->stats()['token_requests']);
        (new Client(['query_retries' => 3] + $config))->accessToken();
        (new Client($config, shared: false))->accessToken();
        self::assertSame($before['token_requests'] + 1, self::$sandbox->stats()['token_requests']);
    }

    public function testTheStatusOfTheToken(): void
    {
        $client = $this->client(shared: false);
        self::assertFalse($client->tokenStatus()->isUsable());
        $token = $client->accessToken();
        self::assertSame('bearer', $token->tokenType());
        self::assertGreaterThan(time(), $token->expiresAt());
        $status = $client->tokenStatus();
        self::assertTrue($status->isUsable());
        self::assertGreaterThan(80_000, $status->remaining());
        self::assertNull($status->backoff());
        $client->forgetToken();
        self::assertFalse($client->tokenStatus()->isUsable());
        self::assertNotSame($token->accessToken(), $client->accessToken()->accessToken());
    }

    public function testOneCallMayHaveItsOwnDeadline(): void
    {
        $client = $this->client();
        $client->accessToken();
        self::$sandbox->fault('create_payment', ['fault' => 'hang', 'execute' => true]);
        $started = microtime(true);
        try {
            $client->createPayment(Samples::payment(), 300);
            self::fail('the call succeeded');
        } catch (TimeoutException $error) {
            self::assertSame('order-1001', $error->getReference());
            self::assertTrue($error->mayHaveBeenExecuted());
        }
        self::assertLessThan(15.0, microtime(true) - $started);
        foreach ([0, -5] as $timeout) {
            try {
                $client->createPayment(Samples::payment(), $timeout);
                self::fail('it was sent');
            } catch (ValidationException $error) {
                self::assertSame('wrong_type', $error->getErrorCode());
                self::assertSame('timeoutMs', $error->getPath());
                self::assertSame('create_payment', $error->getOperation());
                self::assertStringContainsString('milliseconds greater than zero', $error->getMessage());
                self::assertFalse($error->mayHaveBeenExecuted());
            }
        }
    }

    public function testKeysAreMadeAndTokensExamined(): void
    {
        $keys = Client::generateKey();
        $client = new Client(['base_url' => self::$sandbox->url(), 'key' => $keys->privateKey(), 'kid' => 'mine']);
        $prepared = $client->prepare('send', ['method' => 'POST', 'path' => '/ws/x'], "{\"a\":1}\n");
        $token = (string) $prepared->header('X-JWS-Signature');
        self::assertTrue(Client::verify($keys->publicKey(), $token, "{\"a\":1}\n")->isValid());
        $refused = Client::verify($keys->publicKey(), $token, '{"a":1}');
        self::assertFalse($refused->isValid());
        self::assertSame('signature_mismatch', $refused->cause());
        self::assertNotSame('', $refused->remedy());
        self::assertSame('missing_signature', Client::verify($keys->publicKey(), null, '')->cause());
        $this->expectException(PaymentsException::class);
        Client::verify('no key', $token, '');
    }

    public function testBytesAreSentAsTheyAre(): void
    {
        $bytes = "\x00\xff{ not json";
        $query = [['a', '1'], ['a', '2']];
        $response = $this->client()->send('POST', '/ws/x', $bytes, $query, 'application/octet-stream', 'mine');
        self::assertSame(hash('sha256', $bytes), $response['echo']['body_sha256']);
        self::assertSame('a=1&a=2', self::$sandbox->requests('send')[0]['query']);
    }

    public function testAClientIsNeitherClonedNorSerialized(): void
    {
        $client = $this->client();
        foreach (
            [
                'cloned' => static fn (): Client => clone $client,
                'serialized' => static fn (): string => serialize($client),
                'unserialized' => static fn (): mixed => unserialize('O:18:"Libpayments\Client":0:{}'),
                'secrets' => static fn (): string => serialize($client->accessToken()),
            ] as $part => $act
        ) {
            try {
                $act();
                self::fail("$part: it was done");
            } catch (\LogicException $error) {
                self::assertStringContainsString($part, $error->getMessage());
            }
        }
        self::assertSame('PE', $client->createPayment(Samples::payment())->status(), 'it works still');
    }

    public function testAClientWorksAfterFork(): void
    {
        $client = $this->client();
        $client->accessToken();
        $child = pcntl_fork();
        if ($child === 0) {
            $paid = $client->createPayment(Samples::payment(['merchant_payment_code' => 'child']))->status();
            // No destructor of the parent's objects may run here.
            posix_kill(posix_getpid(), $paid === 'PE' ? SIGUSR1 : SIGUSR2);
        }
        pcntl_waitpid($child, $status);
        self::assertSame(SIGUSR1, pcntl_wtermsig($status));
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
    }

    public function testAKidThatIsNotUtf8(): void
    {
        $this->expectException(ConfigException::class);
        $signer = new CallbackSigner("\xff", static fn (): string => '');
        new Client(['base_url' => 'http://127.0.0.1:1'], signer: $signer);
    }

    private function client(bool $shared = true): Client
    {
        return new Client(self::$sandbox->config(), shared: $shared);
    }

    /** @return array<string, array{array<string, mixed>, string}> */
    public static function misspelledRefunds(): array
    {
        return [
            'amount_total' => [['hash' => 'a', 'amount_total' => '10.00'], 'amount_total'],
            'amout' => [['hash' => 'a', 'amout' => '10.00'], 'amout'],
            'Amount' => [['hash' => 'a', 'Amount' => '10.00'], 'Amount'],
            'refund_amount' => [['hash' => 'a', 'refund_amount' => null], 'refund_amount'],
            'null' => [['hash' => 'a', 'amount' => null], 'amount'],
        ];
    }

    /**
     * @dataProvider misspelledRefunds
     * @param array<string, mixed> $request
     */
    public function testAMisspelledAmountRefundsNothing(array $request, string $path): void
    {
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x']);
        try {
            $client->refundPayment($request);
            self::fail('was accepted');
        } catch (ValidationException $error) {
            self::assertSame($path, $error->getPath());
            self::assertFalse($error->mayHaveBeenExecuted());
        }
    }

    public function testANumberMadeFromTextKeepsItsDigits(): void
    {
        $key = Repository::key('test_rsa_4096_pkcs8.pem');
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'key_file' => $key, 'kid' => 'k']);
        $extra = ['rate' => decimal('0.50'), 'list' => [decimal('-1.0e-7'), new Decimal('0')], 'text' => 'number-1:'];
        $prepared = $client->prepare('refund_payment', ['hash' => 'a', 'extra' => $extra]);
        $expected = '{"hash":"a","rate":0.50,"list":[-1.0e-7,0],"text":"number-1:"}';
        self::assertSame($expected, $prepared->body());
        self::assertSame('0.50', (string) decimal('0.50'));
        foreach (['', '1,5', '.5', '1.', '01', '+1', "1\n", 'NAN', '1,"amount":0'] as $text) {
            try {
                decimal($text);
                self::fail("$text was accepted");
            } catch (ValidationException $error) {
                self::assertSame('number_invalid', $error->getErrorCode());
            }
        }
    }

    public function testAHashAloneIsNotARequest(): void
    {
        $this->expectException(ValidationException::class);
        $this->expectExceptionMessage('pass {"hash": …}');
        (new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x']))->queryPayment('59ad5dd18a6d5ba0');
    }
}
