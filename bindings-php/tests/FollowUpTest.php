<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Frameworks\FollowUp;
use Libpayments\Journal\ClientJournal;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;
use Libpayments\Testing\Responses;
use PHPUnit\Framework\TestCase;

/**
 * The next step of a framework's follow-up job.
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

    public function testAPaymentThatDiffersFromTheJournalIsNotPaid(): void
    {
        $journal = $this->createMock(ClientJournal::class);
        $client = $this->createMock(ClientInterface::class);
        $client->method('journal')->willReturn($journal);
        $paid = Responses::payment('CO');
        $client->method('queryPayment')->willReturn($paid);
        $journal->expects(self::once())->method('difference')->with('order-1', $paid)->willReturn('it is paid, but');
        $end = FollowUp::ask($client, 'order-1', time(), 60);
        self::assertInstanceOf(PaymentEnded::class, $end);
        self::assertSame([true, false, false], [$end->differs(), $end->isPaid(), $end->isGivenUp]);
        self::assertSame([$paid, 'it is paid, but'], [$end->payment, $end->difference]);
    }

    public function testTheRuleGetsTheAgeAndTheAnswer(): void
    {
        // A second may pass in between.
        self::assertEqualsWithDelta(60_000, $this->next(Responses::payment('PE'), 600), 200);
        $limited = Responses::error('rate_limited', 'any', members: ['retry_after' => 7]);
        self::assertSame(7000, $this->next($limited, 0));
        self::assertSame(30_000, $this->next(Responses::error('unauthorized', 'any'), 0));
        $invalid = Responses::error('validation', 'any');
        $this->expectExceptionObject($invalid);
        $this->next($invalid, 0);
    }

    public function testFailuresInARowAreFollowedByPauses(): void
    {
        $status = static fn (int $status): PaymentsException
            => Responses::error('status', 'any', members: ['http_status' => $status]);
        foreach ([503, 404] as $code) {
            $progress = [];
            foreach ([2000, 2000, 30_000] as $wait) {
                $progress = $this->step($status($code), 0, $progress);
                self::assertIsArray($progress);
                self::assertSame($wait, $progress['delay_ms']);
            }
        }
        $progress = $this->step(Responses::payment('PE'), 0, ['failures' => 3]);
        self::assertIsArray($progress);
        self::assertSame([2000, 0], [$progress['delay_ms'], $progress['failures']]);
    }

    public function testAFoundPaymentIsNotGivenUpAfterOneFailedSearch(): void
    {
        $progress = $this->step(Responses::payment('PE'), 1200);
        self::assertIsArray($progress);
        $missing = Responses::error('rejected', 'payment_not_found');
        self::assertIsArray($this->step($missing, 1200, $progress));
        self::assertInstanceOf(PaymentEnded::class, $this->step($missing, 1200));
    }

    public function testADelayIsAtMostAQuarterOfAnHour(): void
    {
        $limited = Responses::error('rate_limited', 'any', members: ['retry_after' => 2000]);
        $progress = $this->step($limited, 0);
        foreach ([900_000, 900_000, 200_000] as $delay) {
            self::assertIsArray($progress);
            self::assertSame($delay, $progress['delay_ms']);
            $progress = $progress['rest_ms'] > 0 ? $this->step(null, 0, $progress) : $progress;
        }
        self::assertSame(0, $progress['rest_ms']);
    }

    public function testAClockThatJumpsGivesNothingUp(): void
    {
        $progress = $this->step(Responses::payment('PE'), 60);
        self::assertIsArray($progress);
        $progress['asked'] -= 8 * self::DAY;
        $since = 8 * self::DAY + 60;
        foreach (range(1, 96) as $_) {
            $progress = $this->step(Responses::payment('PE'), $since, $progress);
            self::assertIsArray($progress);
        }
        self::assertInstanceOf(PaymentEnded::class, $this->step(Responses::payment('PE'), $since, $progress));
    }

    public function testAPaymentThatStaysOpenOrUnfoundIsGivenUp(): void
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
        $next = $this->step($answer, $age);
        return is_array($next) ? $next['delay_ms'] : $next;
    }

    /**
     * @param array<string, mixed> $progress
     * @return PaymentEnded|array<string, mixed>
     */
    private function step(
        PaymentResponse|PaymentsException|null $answer,
        int $age,
        array $progress = [],
    ): PaymentEnded|array {
        $client = $this->createMock(ClientInterface::class);
        $query = $client->expects($answer === null ? self::never() : self::once())->method('queryPayment');
        match (true) {
            $answer === null => null,
            $answer instanceof PaymentResponse => $query->willReturn($answer),
            default => $query->willThrowException($answer),
        };
        return FollowUp::ask($client, 'order-1', time() - $age, 7 * self::DAY, $progress);
    }
}
