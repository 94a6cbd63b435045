<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\SigningException;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The examples of pages that are whole programs, run unchanged.
 */
final class PagesTest extends TestCase
{
    /** The prefix of PKCS#1 for a SHA-256 digest. */
    private const DIGEST_INFO = '3031300d060960864801650304020105000420';

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testAKmsSigns(): void
    {
        $client = self::clientOfThePage(static function (string $name, string $digest): string {
            self::assertSame('payments/1', $name);
            $key = (string) file_get_contents(Repository::key('test_rsa_4096_pkcs8.pem'));
            self::assertTrue(openssl_private_encrypt(hex2bin(self::DIGEST_INFO) . $digest, $signature, $key));
            return $signature;
        });
        $client->createPayment(Samples::payment());
        self::assertSame('verified', self::$sandbox->requests('create_payment')[0]['signature']);
    }

    public function testAWrongSignatureIsNotSent(): void
    {
        $client = self::clientOfThePage(static fn (): string => str_repeat("\1", 512));
        try {
            $client->createPayment(Samples::payment());
            self::fail('the signature is wrong');
        } catch (SigningException $error) {
            self::assertSame('signature_invalid', $error->getErrorCode());
        }
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    /** The client that the page makes, with a KMS that signs so. */
    private static function clientOfThePage(\Closure $signDigest): Client
    {
        $example = strtr(self::exampleOf('keys.md'), [
            'https://payments.example' => self::$sandbox->url(),
            '<KEY_ID>' => self::$sandbox->kid(),
        ]);
        $kms = new class ($signDigest) {
            public function __construct(private \Closure $signDigest)
            {
            }

            public function signDigest(string $key, string $digest): string
            {
                return ($this->signDigest)($key, $digest);
            }
        };
        $publicKeyPem = (string) file_get_contents(Repository::key('test_rsa_4096_public.pem'));
        $names = 'use Libpayments\{CallbackSigner, CallContext, Client, SigningInput};';
        return eval("$names\n$example\nreturn \$client;");
    }

    public function testRefunds(): void
    {
        $client = new Client(self::$sandbox->config());
        $hashes = [];
        foreach (['order-1001', 'order-1002'] as $code) {
            $hashes[] = $client->createPayment(Samples::payment(['merchant_payment_code' => $code]))->hash();
            self::$sandbox->call('POST', "/sandbox/payments/$code/confirm");
        }
        $run = static function (Client $client, string $first, string $second): void {
            eval(self::exampleOf('refunds.md'));
        };
        $this->expectOutputRegex('/^\d+ RE\n$/');
        $run($client, ...$hashes);
        $payments = self::$sandbox->call('GET', '/sandbox/payments')['payments'];
        $amounts = array_map(static fn (array $of): array => array_column($of['refunds'], 'amount_ext'), $payments);
        self::assertSame([['40.00'], ['100.10']], $amounts);
    }

    public function testFromOrderToDeliveryTwice(): void
    {
        $effects = [];
        $orders = [];
        $own = [
            'saveOnce' => static function (array $order) use (&$orders): array {
                return $orders[$order['reference']] ??= $order;
            },
            'show' => static function (string $picture) use (&$effects): void {
                if ($effects === []) {
                    self::$sandbox->call('POST', '/sandbox/payments/order-1001/confirm');
                }
                $effects[] = substr($picture, 0, 5);
            },
            'change' => static function (string $reference, string $from, string $to) use (&$orders): bool {
                $isChanged = $orders[$reference]['state'] === $from;
                $orders[$reference]['state'] = $isChanged ? $to : $orders[$reference]['state'];
                return $isChanged;
            },
            'deliver' => static function (array $order) use (&$effects): void {
                $effects[] = $order['reference'];
            },
        ];
        // The page calls functions; here they are variables.
        $page = self::exampleOf('order-to-delivery.md');
        $example = (string) preg_replace('/\b(saveOnce|show|change|deliver)\(/', '\$own[\'$1\'](', $page);
        $client = new Client(self::$sandbox->config());
        foreach (range(1, 2) as $_) {
            (static function (Client $client, array $own, string $example): void {
                eval($example);
            })($client, $own, $example);
        }
        self::assertSame(['<svg ', 'order-1001', '<svg '], $effects);
    }

    /** The one example of a page. */
    private static function exampleOf(string $page): string
    {
        $text = (string) file_get_contents(Repository::root() . "/docs/$page");
        self::assertSame(1, preg_match_all('/^```php\n(.*?)^```$/ms', $text, $found));
        return $found[1][0];
    }
}
