<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

/**
 * The promises of the jobs of each framework that follow a payment.
 */
trait FollowsPayments
{
    /** Runs one job in its own process, as soon as there is one. */
    abstract private function work(): void;

    public function testAPaymentOfAnotherAmountOrCurrencyIsNotPaid(): void
    {
        foreach (['/payment/amount_ext' => '0.01', '/payment/currency_ext' => 'USD'] as $member => $value) {
            $reference = 'order' . strtr($member, '/_', '--');
            $this->shop->server()->get("/pay/$reference");
            $this->sandbox()->pay($reference);
            $this->sandbox()->failNext('edit', 'query_payment', members: ['set' => [$member => $value]]);
            $this->work();
            self::assertStringContainsString("$reference, not paid, differs\n", $this->shop->written('ended'));
        }
    }

    public function testAListenerThatThrowsRunsAgain(): void
    {
        $this->shop->server()->get('/pay/order-2');
        $this->sandbox()->pay('order-2');
        $this->shop->folder->file('listener', 'throws');
        $this->work();
        $this->work();
        $this->shop->folder->file('listener', '');
        $this->work();
        self::assertSame("order-2, paid, ended\n", $this->shop->written('ended'));
        self::assertStringContainsString('the mail server is away', $this->shop->written('log'));
    }

    public function testAConfigurationThatIsAwayLosesNoPayment(): void
    {
        $this->shop->server()->get('/pay/order-2');
        $this->sandbox()->pay('order-2');
        $file = $this->shop->folder->file('payments.json');
        rename($file, "$file.away");
        $this->work();
        $this->work();
        rename("$file.away", $file);
        $this->work();
        self::assertSame("order-2, paid, ended\n", $this->shop->written('ended'));
    }

    public function testSeveralClicksReportOneEnd(): void
    {
        $server = $this->shop->server();
        foreach (range(1, 3) as $_) {
            $server->get('/pay/order-2');
        }
        $this->sandbox()->pay('order-2');
        foreach (range(1, 3) as $_) {
            $this->work();
        }
        self::assertSame("order-2, paid, ended\n", $this->shop->written('ended'));
    }
}
