<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConnectException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\RateLimitedException;
use Libpayments\Exception\RejectedException;
use Libpayments\Exception\SigningException;
use Libpayments\Exception\UnauthorizedException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\Exception\ValidationException;
use Libpayments\Tests\Scenario\Shown;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Members and texts of exceptions, and the secrets that they do not show.
 */
final class ExceptionsTest extends TestCase
{
    private static Sandbox $sandbox;
    private Client $client;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->client = new Client(self::$sandbox->config(), shared: false);
    }

    public function testAnUnknownOutcomeIsCaughtAsSuchAndFoundOut(): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        try {
            $this->client->createPayment(Samples::payment());
            self::fail('the call succeeded');
        } catch (UnknownOutcome $error) {
            self::assertStringContainsString('query_payment', (string) $error->getAdvice());
            $payment = $this->client->queryPayment(['merchant_payment_code' => $error->getReference()]);
        }
        self::assertInstanceOf(PaymentsException::class, $error);
        self::assertSame('transport', $error->getKind());
        self::assertSame(PaymentsException::UNKNOWN, $error->getOutcome());
        self::assertSame('PE', $payment->status());
        self::assertCount(1, self::$sandbox->requests('create_payment'));
    }

    public function testTheMessageNamesOperationMemberAndCodes(): void
    {
        $error = $this->failed(['payment' => []], ValidationException::class);
        self::assertStringStartsWith('create_payment: payment', $error->getMessage());
        self::assertStringEndsWith("[validation/{$error->getErrorCode()}, not_executed]", $error->getMessage());
        self::assertSame(2, $error->getCode());
        self::assertNull($error->getAdvice());
        self::assertNull($error->getHttpStatus());
        self::assertNull($error->getPrevious());
    }

    public function testARefusalHasTheServicesCodeAndKeepsItsMessageApart(): void
    {
        $response = ['status' => 'ERROR', 'status_code' => 'X-1', 'status_message' => 'Maria Souza is not known'];
        self::$sandbox->fault('create_payment', ['fault' => 'response', 'json' => $response]);
        $error = $this->failed(Samples::payment(), RejectedException::class);
        self::assertSame('X-1', $error->getServiceCode());
        self::assertStringContainsString('X-1', $error->getMessage());
        self::assertSame('Maria Souza is not known', $error->getServiceMessage());
        self::assertSame('Maria Souza is not known', $error->toArray()['service_message']);
        self::assertSame(200, $error->getHttpStatus());
        self::assertStringContainsString('"name":"Maria Souza"', (string) $error->getRequestBody());
        self::assertSame($response, json_decode((string) $error->getResponseBody(), true));
        self::assertStringNotContainsString('Maria', Shown::of($error));
        $dumped = var_export($error->toArray()['message'], true) . print_r(array_diff_key((array) $error, [
            "\0Exception\0trace" => 0,
        ]), true);
        self::assertStringNotContainsString('Maria', $dumped);
    }

    public function testAnUnregisteredKidIsDiagnosed(): void
    {
        $client = new Client(['kid' => 'another'] + self::$sandbox->config(), shared: false);
        try {
            $client->createPayment(Samples::payment());
            self::fail('the call succeeded');
        } catch (UnauthorizedException $error) {
            self::assertSame(401, $error->getHttpStatus());
            self::assertSame('cannot_tell', $error->getDiagnosis()['finding']);
            $known = 'no call of this client with this kid was accepted';
            self::assertStringContainsString($known, $error->getDiagnosis()['message']);
            self::assertFalse($error->mayHaveBeenExecuted());
        }
    }

    public function testTooManyRequestsSayHowLongToWait(): void
    {
        $fault = ['fault' => 'response', 'status' => 429, 'headers' => ['Retry-After' => '7']];
        self::$sandbox->fault('create_payment', $fault);
        $error = $this->failed(Samples::payment(), RateLimitedException::class);
        self::assertSame(7, $error->getRetryAfter());
        self::assertSame(1, $error->getAttempts());
    }

    public function testNoServerListens(): void
    {
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x'], shared: false);
        try {
            $client->createPayment(Samples::payment());
            self::fail('the call succeeded');
        } catch (ConnectException $error) {
            self::assertNotInstanceOf(UnknownOutcome::class, $error);
            self::assertSame('order-1001', $error->getReference());
            self::assertStringContainsString('base_url', $error->getMessage());
        }
    }

    public function testInvalidKeysAreNamedAndNotShown(): void
    {
        $folder = new Folder();
        $files = ['empty' => '', 'nonsense' => 'sesame', 'cut' => substr((string) file_get_contents(
            Repository::key('test_rsa_4096_pkcs8.pem'),
        ), 0, 900)];
        foreach ($files as $name => $content) {
            $config = ['key_file' => $folder->file($name, $content)] + self::$sandbox->config();
            try {
                new Client($config);
                self::fail('it was taken');
            } catch (PaymentsException $error) {
                self::assertContains($error->getKind(), ['config', 'signing']);
                self::assertStringContainsString('key', $error->getMessage());
                self::assertStringNotContainsString('sesame', $error->getMessage());
            }
        }
        self::assertContains($error::class, [SigningException::class, \Libpayments\Exception\ConfigException::class]);
    }

    public function testTracesHoldNoSecret(): void
    {
        $config = ['kid' => 'another'] + self::$sandbox->config();
        $secrets = [$config['client_secret'], $config['integration_key'], 'Maria'];
        $client = new Client($config, shared: false);
        foreach (
            [
                static fn (): mixed => $client->createPayment(Samples::payment()),
                static fn (): mixed => $client->createPayment((string) json_encode(Samples::payment())),
                static fn (): mixed => $client->createPayment(Samples::payment(['amount_total' => 1.5])),
                static fn (): mixed => $client->send('POST', '/ws/x', 'Maria', ['name' => 'Maria', 'x' => 1.5]),
                static fn (): mixed => $client->prepare('create_payment', Samples::payment(['country' => 'Maria'])),
                static fn (): mixed => new Client(['timeout_ms' => 1.5] + $config),
                static fn (): mixed => new Client(['nothing' => 1] + $config),
            ] as $act
        ) {
            try {
                $act();
                self::fail('it was done');
            } catch (PaymentsException $error) {
                foreach ($secrets as $secret) {
                    self::assertStringNotContainsString($secret, Shown::of($error));
                }
            }
        }
    }

    /**
     * @template T of PaymentsException
     * @param array<string, mixed> $request
     * @param class-string<T> $class
     * @return T
     */
    private function failed(array $request, string $class): PaymentsException
    {
        try {
            $this->client->createPayment($request);
        } catch (PaymentsException $error) {
            self::assertInstanceOf($class, $error);
            return $error;
        }
        self::fail('the call succeeded');
    }
}
