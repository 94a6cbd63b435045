<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Frameworks\FollowUp;
use Libpayments\Journal\ClientJournal;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;
use Libpayments\Symfony\FollowPayment;
use Libpayments\Testing\Responses;
use PHPUnit\Framework\TestCase;

/**
 * The jobs of a framework that follow a payment.
 */
final class FollowUpTest extends TestCase
{
    private const DAY = 86_400;

    /** @var array<string, mixed> the cache of the application */
    private array $cache = [];
    /** @var list<PaymentEnded> */
    private array $fired = [];
    /** @var list<\Throwable> */
    private array $reported = [];
    private ?\Throwable $ofListener = null;

    public function testAPaymentThatIsPaidOrCancelledHasEnded(): void
    {
        foreach (['CO' => true, 'CA' => false] as $status => $isPaid) {
            $this->cache = [];
            self::assertNull($this->step(Responses::payment($status)));
            $end = array_pop($this->fired);
            self::assertSame(['order-1', $status, $isPaid, false], [$end?->reference, $end?->payment?->status(),
                $end?->isPaid(), $end?->isGivenUp()]);
        }
    }

    public function testAPaymentIsComparedWithItsOrderAndTheJournal(): void
    {
        $journal = $this->createMock(ClientJournal::class);
        $client = $this->createMock(ClientInterface::class);
        $client->method('journal')->willReturn($journal);
        $paid = Responses::payment('CO');
        $client->method('queryPayment')->willReturn($paid);
        $journal->expects(self::once())->method('difference')->with('order-1', $paid, '10.50', 'BRL')
            ->willReturn('it is paid, but');
        self::assertNull($this->next($client, new FollowPayment('order-1', '10.50', 'BRL')));
        [$end] = $this->fired;
        self::assertSame([true, false, false], [$end->differs(), $end->isPaid(), $end->isGivenUp()]);
        self::assertSame([$paid, 'it is paid, but'], [$end->payment, $end->difference]);
    }

    public function testTheRuleGetsTheAgeAndTheAnswer(): void
    {
        // A second may pass in between.
        self::assertEqualsWithDelta(60_000, $this->step(Responses::payment('PE'), 600)['delay_ms'] ?? 0, 200);
        $limited = Responses::error('rate_limited', 'any', members: ['retry_after' => 7]);
        self::assertSame(7000, $this->step($limited)['delay_ms'] ?? 0);
        self::assertSame(30_000, $this->step(Responses::error('unauthorized', 'any'))['delay_ms'] ?? 0);
        self::assertSame([], $this->reported);
    }

    public function testAnInvalidReferenceIsReportedAndNotFollowed(): void
    {
        $invalid = Responses::error('validation', 'any', PaymentsException::NOT_EXECUTED);
        self::assertNull($this->step($invalid));
        self::assertSame([[$invalid], []], [$this->reported, $this->fired]);
    }

    public function testFailuresInARowAreFollowedByPauses(): void
    {
        $status = static fn (int $status): PaymentsException
            => Responses::error('status', 'any', members: ['http_status' => $status]);
        foreach ([503, 404] as $code) {
            $progress = self::begun(0);
            foreach ([2000, 2000, 30_000] as $wait) {
                $progress = $this->step($status($code), progress: $progress);
                self::assertIsArray($progress);
                self::assertSame($wait, $progress['delay_ms']);
            }
        }
        $progress = $this->step(Responses::payment('PE'), progress: ['failures' => 3] + self::begun(0));
        self::assertIsArray($progress);
        self::assertSame([2000, 0], [$progress['delay_ms'], $progress['failures']]);
    }

    public function testAnExceptionIsReportedAndTheChainContinues(): void
    {
        $progress = self::begun(0);
        $broken = Responses::error('config', 'any');
        $delays = [];
        // A configuration that is away for two days.
        for ($count = 0; $count < 192; $count++) {
            $progress = $this->step($broken, progress: $progress);
            self::assertIsArray($progress);
            $delays[] = $progress['delay_ms'];
        }
        self::assertSame([2000, 4000, 8000, 900_000], [...array_slice($delays, 0, 3), end($delays)]);
        self::assertSame([192, []], [count($this->reported), $this->fired]);
        self::assertNull($this->step(Responses::payment('CO'), progress: $progress));
        self::assertTrue($this->fired[0]->isPaid());
    }

    public function testAListenerThatThrowsRunsAgain(): void
    {
        $this->ofListener = new \TypeError('the mail server is away');
        $progress = $this->step(Responses::payment('CO'));
        self::assertSame([2000, [$this->ofListener]], [$progress['delay_ms'] ?? 0, $this->reported]);
        $this->ofListener = null;
        self::assertNull($this->step(Responses::payment('CO'), progress: $progress ?? []));
        self::assertCount(2, $this->fired);
    }

    public function testOfSeveralChainsTheNewestAsks(): void
    {
        $old = $this->step(Responses::payment('PE'), 60);
        $new = $this->step(Responses::payment('PE'), 10);
        $old = $this->step(null, progress: $old ?? []);
        self::assertSame(900_000, $old['delay_ms'] ?? 0);
        self::assertNull($this->step(Responses::payment('CO'), progress: $new ?? []));
        self::assertNull($this->step(null, progress: $old ?? []));
        self::assertNull($this->step(null, progress: self::begun(0)), 'a click after the end');
        self::assertCount(1, $this->fired);
    }

    public function testAChainTakesOverWhatTheQueueLost(): void
    {
        $this->step(Responses::payment('PE'), 10);
        $old = $this->step(null, 60);
        // The lease of the newer one is over.
        $this->cache = [];
        self::assertNull($this->step(Responses::payment('CO'), progress: $old ?? []));
        self::assertTrue($this->fired[0]->isPaid());
    }

    public function testAFoundPaymentIsNotGivenUpAfterOneFailedSearch(): void
    {
        $progress = $this->step(Responses::payment('PE'), 1200);
        $missing = Responses::error('rejected', 'payment_not_found');
        $this->step($missing, progress: $progress ?? []);
        self::assertSame([], $this->fired);
        $this->cache = [];
        $this->step($missing, 1200);
        self::assertTrue($this->fired[0]->isGivenUp());
    }

    public function testADelayIsAtMostAQuarterOfAnHour(): void
    {
        $limited = Responses::error('rate_limited', 'any', members: ['retry_after' => 2000]);
        $progress = $this->step($limited);
        foreach ([900_000, 900_000, 200_000] as $delay) {
            self::assertIsArray($progress);
            self::assertSame($delay, $progress['delay_ms']);
            $progress = $progress['rest_ms'] > 0 ? $this->step(null, progress: $progress) : $progress;
        }
        self::assertSame(0, $progress['rest_ms']);
    }

    public function testAClockThatJumpsGivesNothingUp(): void
    {
        $progress = $this->step(Responses::payment('PE'), 60);
        self::assertIsArray($progress);
        $progress['asked'] -= 8 * self::DAY;
        $progress['since'] -= 8 * self::DAY;
        $this->cache = [];
        foreach (range(1, 96) as $_) {
            $progress = $this->step(Responses::payment('PE'), progress: $progress);
            self::assertIsArray($progress);
        }
        self::assertSame([], $this->fired);
        $this->step(Responses::payment('PE'), progress: $progress);
        self::assertTrue($this->fired[0]->isGivenUp());
    }

    public function testAPaymentThatStaysOpenIsAskedForDailyForAYear(): void
    {
        $progress = $this->step(Responses::payment('PE'), 8 * self::DAY);
        self::assertIsArray($progress);
        self::assertSame([true, false, 'PE'], [$this->fired[0]->isGivenUp(), $this->fired[0]->isPaid(),
            $this->fired[0]->payment?->status()]);
        self::assertSame(1000 * self::DAY, $progress['delay_ms'] + $progress['rest_ms']);
        $next = fn (int $days, string $status): ?array => $this->step(
            Responses::payment($status),
            progress: ['since' => time() - $days * self::DAY, 'rest_ms' => 0, 'chain' => "$days$status"] + $progress,
        );
        $this->cache = [];
        self::assertIsArray($next(9, 'PE'));
        self::assertCount(1, $this->fired, 'reported once');
        $this->cache = [];
        self::assertNull($next(300, 'CO'));
        self::assertTrue($this->fired[1]->isPaid());
        $this->cache = [];
        self::assertNull($next(373, 'PE'));
        self::assertTrue($this->fired[2]->isGivenUp());
    }

    public function testAPaymentThatIsNeverFoundIsAskedForAWeek(): void
    {
        $missing = Responses::error('rejected', 'payment_not_found');
        $progress = $this->step($missing, 1000);
        self::assertSame([true, null], [$this->fired[0]->isGivenUp(), $this->fired[0]->payment]);
        $this->cache = [];
        self::assertNull($this->step($missing, progress: ['since' => time() - 8 * self::DAY, 'rest_ms' => 0]
            + ($progress ?? [])));
    }

    /** @return array<string, mixed> the progress of a chain of that age */
    private static function begun(int $age): array
    {
        return ['since' => time() - $age, 'chain' => "of $age s"];
    }

    /**
     * @param PaymentResponse|PaymentsException|null $answer null if nothing may be asked
     * @param ?array<string, mixed> $progress of the job; by default that of a new chain of this age
     * @return ?array<string, mixed>
     */
    private function step(
        PaymentResponse|PaymentsException|null $answer,
        int $age = 0,
        ?array $progress = null,
    ): ?array {
        $client = $this->createMock(ClientInterface::class);
        $query = $client->expects($answer === null ? self::never() : self::once())->method('queryPayment');
        match (true) {
            $answer === null => null,
            $answer instanceof PaymentResponse => $query->willReturn($answer),
            default => $query->willThrowException($answer),
        };
        return $this->next($client, new FollowPayment('order-1', '10.50', 'BRL', $progress ?? self::begun($age)));
    }

    /** @return ?array<string, mixed> */
    private function next(ClientInterface $client, FollowPayment $job): ?array
    {
        return (new FollowUp(
            client: static fn () => $client,
            fire: function (PaymentEnded $ended): void {
                $this->fired[] = $ended;
                if ($this->ofListener !== null) {
                    throw $this->ofListener;
                }
            },
            report: function (\Throwable $error): void {
                $this->reported[] = $error;
            },
            read: fn (string $key): mixed => $this->cache[$key] ?? null,
            write: function (string $key, array $value): void {
                $this->cache[$key] = $value;
            },
            giveUpAfter: 7 * self::DAY,
        ))->next($job);
    }
}
