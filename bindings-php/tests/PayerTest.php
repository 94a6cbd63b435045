<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ValidationException;
use Libpayments\PaymentResponse;
use Libpayments\Testing\Responses;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The payer's next action, and waiting for the payment.
 */
final class PayerTest extends TestCase
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

    public function testTheCodeOfAPaymentIsDrawn(): void
    {
        $response = $this->client()->createPayment(Samples::payment());
        self::assertStringNotContainsString('000201', print_r($response->nextAction(), true));
        self::assertStringStartsWith('<svg ', (string) $response->qrSvg());
        self::assertSame(Client::qrPng((string) $response->qrCodeValue()), $response->qrPng());
        self::assertNull(Client::qrSvg(str_repeat('a', 2332)));
    }

    public function testACodeIsAPngFileWithModulesOfTheRequestedSize(): void
    {
        foreach ([[6, Client::qrPng('00020126')], [64, Client::qrPng('00020126', 64)]] as [$size, $file]) {
            $found = getimagesizefromstring((string) $file);
            self::assertIsArray($found);
            self::assertSame([29 * $size, 29 * $size], [$found[0], $found[1]]);
            self::assertSame([1, 'image/png'], [$found['bits'], $found['mime']]);
            self::assertStringEndsWith("IEND\xaeB`\x82", (string) $file);
        }
        self::assertSame($file, Responses::payment(qrCodeValue: '00020126')->qrPng(64));
        self::assertNull(Client::qrPng(str_repeat('a', 2332)));
        foreach ([0, 65, -1, PHP_INT_MAX, (1 << 32) + 6] as $size) {
            try {
                Client::qrPng('00020126', $size);
                self::fail("$size was taken");
            } catch (ValidationException $refused) {
                self::assertSame(['moduleSize', 'wrong_type'], [$refused->getPath(), $refused->getErrorCode()]);
            }
        }
    }

    public function testTheKitMakesTheSameAction(): void
    {
        $made = Responses::payment(qrCodeValue: '0002', redirectUrl: 'https://a.example/1');
        self::assertSame(['qr_code', '0002'], [$made->nextAction()->kind(), $made->nextAction()->value()]);
        self::assertSame('pay_slip', Responses::payment(oxxoBarcode: '12')->nextAction()->kind());
        self::assertSame('none', Responses::payment(status: 'CO', qrCodeValue: '0002')->nextAction()->kind());
        self::assertSame('unknown', Responses::payment()->nextAction()->kind());
        self::assertNull(Responses::payment()->nextAction()->value());
        self::assertSame('none', Responses::payment(captureAvailable: true)->nextAction()->kind());
        $slip = ['boleto_url' => 'https://pay.example', 'boleto_barcode' => '34'];
        $action = Responses::payment(dueDate: '2026-12-01', members: $slip)->nextAction();
        $shown = [$action->kind(), $action->value(), $action->reference(), $action->expires()];
        self::assertSame(['pay_slip', 'https://pay.example', '34', '2026-12-01'], $shown);
        [$refund] = Responses::payment(refunds: [['id' => '7', 'status' => 'CA']])->refunds();
        self::assertSame(['7', 'CA', null], [$refund->id(), $refund->status(), $refund->amountExt()]);
        self::assertNull(Responses::payment()->qrSvg());
        self::assertNull(Responses::payment()->qrPng());
    }

    public function testWaitingEndsWithThePaymentOrWithTheTime(): void
    {
        $client = $this->client();
        $hash = (string) $client->createPayment(Samples::payment())->hash();
        $open = $client->waitForPayment(['hash' => $hash], timeoutMs: 1000);
        self::assertSame(PaymentResponse::PENDING, $open->status());
        self::$sandbox->call('POST', "/sandbox/payments/$hash/confirm");
        self::assertTrue($client->waitForPayment(['hash' => $hash], timeoutMs: 60_000)->isPaid());
        $this->expectException(ValidationException::class);
        $client->waitForPayment([]);
    }

    private function client(): Client
    {
        return new Client(self::$sandbox->config());
    }
}
