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
 * The example of docs/operations.md for keys in a KMS, run unchanged.
 */
final class OperationsPageTest extends TestCase
{
    /** What PKCS#1 puts in front of a SHA-256 digest. */
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
        $page = (string) file_get_contents(Repository::root() . '/docs/operations.md');
        self::assertSame(1, preg_match_all('/^```php\n(.*?)^```$/ms', $page, $found));
        $example = strtr($found[1][0], [
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
}
