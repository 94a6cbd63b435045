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

    public function testAnOpenPaymentIsQueriedAtGrowingIntervals(): void
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

    public function testAFailedQueryEndsNothingUnlessAllWouldFail(): void
    {
        $status = static fn (int $status): PaymentsException
            => Responses::error('status', 'any', members: ['http_status' => $status]);
        foreach ([$status(404), $status(403), $status(302), Responses::error('decode', 'any')] as $error) {
            self::assertSame(2000, $this->next($error, 0), $error->getKind());
        }
        self::assertSame(30_000, $this->next(Responses::error('unauthorized', 'any'), 0));
        foreach (['validation', 'config', 'journal', 'internal'] as $kind) {
            $error = Responses::error($kind, 'any');
            try {
                $this->next($error, 0);
                self::fail($kind);
            } catch (PaymentsException $thrown) {
                self::assertSame($error, $thrown);
            }
        }
    }

    public function testFailuresInARowAreFollowedByPauses(): void
    {
        [$waits, $progress] = [[], []];
        foreach (range(1, 8) as $_) {
            $progress = $this->step(Responses::error('connect', 'any'), 0, $progress);
            self::assertIsArray($progress);
            $waits[] = $progress['delay_ms'];
        }
        self::assertSame([2000, 2000, 30_000, 60_000, 120_000, 300_000, 900_000, 900_000], $waits);
        $progress = $this->step(Responses::payment('PE'), 0, $progress);
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
