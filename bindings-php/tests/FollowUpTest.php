<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\FollowUp;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;
use Libpayments\Testing\Responses;
use PHPUnit\Framework\TestCase;

/**
 * What a follow-up job of a framework does next.
 */
final class FollowUpTest extends TestCase
{
    private const DAY = 86_400;

    public function testAPaymentThatIsPaidOrCancelledHasEnded(): void
    {
        foreach (['CO' => true, 'CA' => false] as $status => $isPaid) {
            $end = $this->next(Responses::payment($status), 0);
            self::assertInstanceOf(PaymentEnded::class, $end);
            self::assertSame(['order-1', $status, $isPaid, false], [$end->reference, $end->payment?->status(),
                $end->isPaid(), $end->isGivenUp]);
        }
    }

    public function testAnOpenPaymentIsQueriedAgainLaterAndLater(): void
    {
        $waits = [];
        foreach ([0, 10, 60, 600, self::DAY] as $age) {
            $waits[] = $this->next(Responses::payment('PE'), $age);
        }
        // A second may pass in between.
        self::assertEqualsWithDelta([2000, 2000, 6000, 60_000, 900_000], $waits, 200);
        self::assertSame(2000, $this->next(Responses::payment('a new state'), 0));
    }

    public function testAFailedQueryDecidesNothing(): void
    {
        foreach (['timeout', 'connect', 'transport', 'rate_limited', 'token'] as $kind) {
            self::assertSame(2000, $this->next(Responses::error($kind, 'any'), 0), $kind);
        }
        $error = static fn (int $status): PaymentsException
            => Responses::error('status', 'any', members: ['http_status' => $status]);
        self::assertSame(2000, $this->next($error(503), 0));
        $limited = Responses::error('rate_limited', 'any', members: ['retry_after' => 30]);
        self::assertSame(30_000, $this->next($limited, 0));
        self::assertSame(2000, $this->next(Responses::error('rejected', 'payment_not_found'), 0));
        self::assertSame(900_000, $this->next(Responses::error('timeout', 'any'), 8 * self::DAY));
    }

    public function testWhatAnotherQueryCannotChangeIsThrown(): void
    {
        $wrongKey = Responses::error('unauthorized', 'any');
        $refused = Responses::error('status', 'any', members: ['http_status' => 404]);
        foreach ([$wrongKey, $refused, Responses::error('config', 'any')] as $error) {
            try {
                $this->next($error, 0);
                self::fail($error->getKind());
            } catch (PaymentsException $thrown) {
                self::assertSame($error, $thrown);
            }
        }
    }

    public function testWhatStaysOpenOrIsNeverFoundIsGivenUp(): void
    {
        $open = $this->next(Responses::payment('PE'), 8 * self::DAY);
        self::assertInstanceOf(PaymentEnded::class, $open);
        self::assertSame([true, false, 'PE'], [$open->isGivenUp, $open->isPaid(), $open->payment?->status()]);
        $missing = $this->next(Responses::error('rejected', 'payment_not_found'), 1000);
        self::assertInstanceOf(PaymentEnded::class, $missing);
        self::assertSame([true, false, null], [$missing->isGivenUp, $missing->isPaid(), $missing->payment]);
    }

    private function next(PaymentResponse|PaymentsException $answer, int $age): PaymentEnded|int
    {
        $client = $this->createMock(ClientInterface::class);
        $query = $client->expects(self::once())->method('queryPayment')->with(['merchant_payment_code' => 'order-1']);
        $answer instanceof PaymentResponse ? $query->willReturn($answer) : $query->willThrowException($answer);
        return FollowUp::ask($client, 'order-1', time() - $age, 7 * self::DAY);
    }
}
