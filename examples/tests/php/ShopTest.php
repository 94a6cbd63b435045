<?php

declare(strict_types=1);

namespace Shop;

use Libpayments\ClientInterface;
use Libpayments\Exception\UnauthorizedException;
use Libpayments\Testing\Responses;
use Libpayments\Testing\UsesSandbox;
use PHPUnit\Framework\TestCase;

/**
 * The tests of the shop, against the sandbox and without it.
 */
final class ShopTest extends TestCase
{
    use UsesSandbox;

    /** @param array<string, mixed> $members of the client's configuration */
    private function shop(array $members = []): Shop
    {
        return new Shop($this->sandbox()->client($members));
    }

    public function testPayerPays(): void
    {
        $order = new Order();
        self::assertSame('waiting', $this->shop()->pay($order));
        $this->sandbox()->pay('order-1');
        self::assertSame('paid', $this->shop()->settle($order));
    }

    public function testPayerDeclines(): void
    {
        $order = new Order();
        $this->shop()->pay($order);
        $this->sandbox()->decline('order-1');
        self::assertSame('declined', $this->shop()->settle($order));
    }

    public function testServiceDeclinesAtOnce(): void
    {
        $this->sandbox()->failNext('declined');
        self::assertSame('declined', $this->shop()->pay(new Order()));
    }

    public function testLostResponseIsFound(): void
    {
        $this->sandbox()->failNext('response_lost', 'create_payment');
        self::assertSame('waiting', $this->shop()->pay(new Order()));
        self::assertCount(1, $this->sandbox()->payments());
        self::assertCount(1, $this->sandbox()->requests('create_payment'), 'it was not sent again');
    }

    public function testLostResponseStaysUnknownUntilTheServiceTells(): void
    {
        $order = new Order();
        $this->sandbox()->failNext('response_lost', 'create_payment');
        $this->sandbox()->failNext('unavailable', 'query_payment', times: 10);
        self::assertSame('unknown', $this->shop()->pay($order));
        $this->sandbox()->call('DELETE', 'faults');
        self::assertSame('waiting', $this->shop()->settle($order));
    }

    public function testDuplicateClickPaysOnce(): void
    {
        $order = new Order();
        $this->shop()->pay($order);
        self::assertSame('waiting', $this->shop()->pay($order));
        self::assertSame('waiting', $this->shop()->pay(new Order()), 'in another process');
        self::assertCount(1, $this->sandbox()->payments());
    }

    public function testUnregisteredKeyPaysNothing(): void
    {
        $client = $this->sandbox()->client(['kid' => 'not-registered']);
        self::assertSame('failed', (new Shop($client))->pay(new Order()));
        $requests = $this->sandbox()->requests('create_payment');
        self::assertSame('signature_mismatch', end($requests)['signature']);
        $this->expectException(UnauthorizedException::class);
        $client->queryPayment(['merchant_payment_code' => 'order-1']);
    }

    public function testBlockedTokenServerPaysNothing(): void
    {
        $this->sandbox()->blockTokens();
        self::assertSame('failed', $this->shop()->pay(new Order()));
        self::assertSame([], $this->sandbox()->requests('create_payment'));
    }

    public function testDeadlineLeavesTheOutcomeUnknownAndThePaymentIsFound(): void
    {
        $this->sandbox()->failNext('silence_after_execution', 'create_payment');
        self::assertSame('waiting', $this->shop(['timeout_ms' => 2000])->pay(new Order()));
        self::assertCount(1, $this->sandbox()->payments());
    }

    public function testShopWithoutAService(): void
    {
        $client = $this->createStub(ClientInterface::class);
        $client->method('createPayment')->willReturn(Responses::payment('CO'));
        self::assertSame('paid', (new Shop($client))->pay(new Order()));
    }

    public function testUnknownOutcomeWithoutAService(): void
    {
        $client = $this->createStub(ClientInterface::class);
        $client->method('createPayment')->willThrowException(Responses::error('timeout', 'deadline_exceeded'));
        $client->method('queryPayment')
            ->willThrowException(Responses::error('connect', 'connect_failed', 'not_executed'));
        self::assertSame('unknown', (new Shop($client))->pay(new Order()));
    }

    public function testPaymentThatIsNotFoundIsNotSentAgain(): void
    {
        $client = $this->createMock(ClientInterface::class);
        $client->expects(self::once())->method('createPayment')
            ->willThrowException(Responses::error('timeout', 'deadline_exceeded'));
        $client->method('queryPayment')
            ->willThrowException(Responses::error('rejected', 'payment_not_found', 'not_executed'));
        $order = new Order();
        self::assertSame('unknown', (new Shop($client))->pay($order));
        self::assertSame('unknown', (new Shop($client))->pay($order));
    }
}
