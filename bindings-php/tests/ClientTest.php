<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Decimal;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
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

    public function testAResponseHasHeadersAndCannotBeChanged(): void
    {
        $payment = $this->client()->createPayment(Samples::payment());
        self::assertSame('application/json', $payment->header('CONTENT-TYPE'));
        self::assertNull($payment->header('none'));
        self::assertNull($payment['nothing']);
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

    public function testAnAmountMayBeAnIntOrAnObjectThatIsAText(): void
    {
        $amount = new class {
            public function __toString(): string
            {
                return '7.50';
            }
        };
        foreach (['100' => 100, '7.50' => $amount] as $digits => $given) {
            $prepared = $this->client()->prepare('create_payment', Samples::payment(['amount_total' => $given]));
            self::assertStringContainsString("\"amount_total\":$digits,", $prepared->body());
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

    private function client(): Client
    {
        return new Client(self::$sandbox->config());
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
                self::assertSame('value_invalid', $error->getErrorCode());
            }
        }
    }
}
