<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\RejectedException;
use Libpayments\Tests\Scenario\Shown;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Bodies of exceptions, and the secrets that exceptions of PHP itself do not show.
 */
final class ExceptionsTest extends TestCase
{
    public function testARefusalHasItsBodiesAndShowsThemNowhere(): void
    {
        $sandbox = new Sandbox();
        $response = ['status' => 'ERROR', 'status_code' => 'X-1', 'status_message' => 'Maria Souza is not known'];
        $sandbox->fault('create_payment', ['fault' => 'response', 'json' => $response]);
        // The message of a sandbox on this host is shown.
        $client = new Client(['environment' => 'production'] + $sandbox->config());
        $error = self::failed(static fn (): mixed => $client->createPayment(Samples::payment()));
        self::assertInstanceOf(RejectedException::class, $error);
        self::assertStringContainsString('"name":"Maria Souza"', (string) $error->getRequestBody());
        self::assertSame($response, json_decode((string) $error->getResponseBody(), true));
        self::assertStringNotContainsString('Maria', Shown::of($error));
    }

    public function testAValueThatPhpCannotSendIsNotShown(): void
    {
        $config = ['base_url' => 'http://127.0.0.1:1', 'client_secret' => 'Maria'];
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x']);
        foreach (
            [
                static fn (): mixed => $client->createPayment(Samples::payment(['amount_total' => 1.5])),
                static fn (): mixed => $client->send('POST', '/ws/x', 'Maria', ['name' => 'Maria', 'x' => 1.5]),
                static fn (): mixed => new Client(['timeout_ms' => 1.5] + $config),
            ] as $act
        ) {
            self::assertStringNotContainsString('Maria', Shown::of(self::failed($act)));
        }
    }

    /** @param \Closure(): mixed $act */
    private static function failed(\Closure $act): PaymentsException
    {
        try {
            $act();
        } catch (PaymentsException $error) {
            return $error;
        }
        self::fail('it was done');
    }
}
