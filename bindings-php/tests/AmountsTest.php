<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Decimal;
use Libpayments\Exception\ValidationException;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use PHPUnit\Framework\TestCase;

use function Libpayments\decimal;

/**
 * Amounts as PHP writes them: with thousands.
 */
final class AmountsTest extends TestCase
{
    /** @dataProvider amountsWithTwoReadings */
    public function testAnAmbiguousTextIsRefusedAndItsNumberIsSent(
        string $text,
        string $currency,
        string $advice,
    ): void {
        $key = Repository::key('test_rsa_4096_pkcs8.pem');
        $client = new Client(['base_url' => 'http://127.0.0.1:1', 'key_file' => $key, 'kid' => 'k']);
        $with = static fn (string|Decimal $amount): array =>
            Samples::payment(['amount_total' => $amount, 'currency_code' => $currency]);
        $body = $client->prepare('create_payment', $with(decimal($text)))->body();
        self::assertStringContainsString("\"amount_total\":$text", $body);
        try {
            $client->prepare('create_payment', $with($text));
            self::fail('it was accepted');
        } catch (ValidationException $error) {
            self::assertSame('amount_ambiguous', $error->getErrorCode());
            self::assertSame('payment.amount_total', $error->getPath());
            self::assertStringContainsString($advice, $error->getMessage());
        }
    }

    /** @return array<string, array{string, string, string}> */
    public static function amountsWithTwoReadings(): array
    {
        return [
            'no decimals' => [number_format(150000, 0, ',', '.'), 'CLP', 'write 150000, since'],
            'two decimals' => [number_format(12990, 0, ',', '.'), 'COP', 'write 12990, or 12.99 if'],
            'in Brazil' => [number_format(1500, 0, ',', '.'), 'BRL', 'write 1500, or 1.50 if'],
            'not listed' => ['1.234', 'XTS', 'write 1234, or 1.2340 if'],
        ];
    }
}
