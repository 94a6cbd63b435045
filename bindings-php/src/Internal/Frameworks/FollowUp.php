<?php

declare(strict_types=1);

namespace Libpayments\Internal\Frameworks;

use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;

/**
 * A chain of jobs that follows a payment: each asks once, and is followed by another one until the
 * payment has ended. The state for the next job travels in it as `progress`.
 *
 * Of several chains for a reference, the newest asks. The others stay until it has ended, in case
 * the queue loses it.
 *
 * @internal
 */
final class FollowUp
{
    /** The longest delay of queues. */
    private const LONGEST_DELAY_MS = 900_000;
    private const DAY = 86_400;
    /** How long a chain owns its reference without a job; a late job takes it back. */
    private const LEASE = 3600;
    /** This many steps in a row distrust a clock that is a day ahead of the previous step. */
    private const MOST_DOUBTS = 96;
    /** A payment that was given up is asked for daily until this age, unless it was never found. */
    private const LAST_AGE = 365 * self::DAY;
    private const ENDED = ['ended'];

    /**
     * @param \Closure(): ClientInterface $client
     * @param \Closure(PaymentEnded): mixed $fire
     * @param \Closure(\Throwable): mixed $report for a failure after which the chain continues
     * @param \Closure(string): mixed $read gets a value of the application's cache, or null
     * @param \Closure(string, array<mixed>, int): mixed $write puts a value there for seconds
     * @param int $giveUpAfter seconds
     */
    public function __construct(
        private \Closure $client,
        private \Closure $fire,
        private \Closure $report,
        private \Closure $read,
        private \Closure $write,
        private int $giveUpAfter,
    ) {
    }

    /**
     * Does the work of a job, and returns the progress of the next one, with `delay_ms` until it;
     * null if there is none.
     *
     * @param object{reference: string, amount: string, currency: string, progress: array<string, mixed>} $job
     * @return ?array<string, mixed>
     */
    public function next(object $job): ?array
    {
        $progress = $job->progress;
        try {
            $key = 'libpayments-follow-' . hash('sha256', $job->reference);
            $own = [$progress['since'], $progress['chain']];
            $owner = ($this->read)($key) ?? $own;
            if ($owner === self::ENDED) {
                return null;
            }
            if ($owner !== $own && $owner[0] >= $own[0]) {
                return self::delayed($progress, self::LONGEST_DELAY_MS);
            }
            ($this->write)($key, $own, self::LEASE);
            $next = $this->step($job);
            if ($next === null) {
                ($this->write)($key, self::ENDED, self::DAY);
            }
            return $next;
        } catch (\Throwable $error) {
            ($this->report)($error);
            $troubles = $progress['troubles'] ?? 0;
            $pause = min(self::LONGEST_DELAY_MS, 2000 * 2 ** min($troubles, 9));
            return self::delayed(['troubles' => $troubles + 1] + $progress, $pause);
        }
    }

    /** @return ?array<string, mixed> */
    private function step(object $job): ?array
    {
        $progress = $job->progress;
        if (($progress['rest_ms'] ?? 0) > 0) {
            return self::delayed($progress, $progress['rest_ms']);
        }
        $client = ($this->client)();
        try {
            $answer = $client->queryPayment(['merchant_payment_code' => $job->reference]);
        } catch (PaymentsException $error) {
            $answer = $error;
        }
        if ($answer instanceof ValidationException) {
            // No query by this reference can work.
            ($this->report)($answer);
            return null;
        }
        $payment = $answer instanceof PaymentResponse ? $answer : null;
        [$now, $doubts] = self::clock($progress);
        $age = max(0, $now - $progress['since']);
        $wasFound = $payment !== null || ($progress['was_found'] ?? false);
        $next = Client::nextStep([
            'age_ms' => 1000 * $age,
            'give_up_after_ms' => 1000 * $this->giveUpAfter,
            'was_found' => $progress['was_found'] ?? false,
            'failures' => $progress['failures'] ?? 0,
            ...self::facts($answer),
        ]);
        $later = ['since' => $progress['since'], 'chain' => $progress['chain'], 'was_found' => $wasFound,
            'failures' => $next['failures'], 'asked' => $now, 'doubts' => $doubts,
            'given_up' => $progress['given_up'] ?? false];
        switch ($next['step']) {
            case 'ended':
                $this->ended($client, $job, $payment);
                return null;
            case 'give_up':
                return $this->givenUp($job->reference, $payment, $age, $later);
            case 'query':
                return self::delayed($later, $next['wait_ms']);
            default:
                throw $answer;
        }
    }

    private function ended(ClientInterface $client, object $job, ?PaymentResponse $payment): void
    {
        $difference = $payment?->isPaid()
            ? $client->journal()->difference($job->reference, $payment, $job->amount, $job->currency)
            : null;
        ($this->fire)(new PaymentEnded($job->reference, $payment, difference: $difference));
    }

    /**
     * @param array<string, mixed> $later
     * @return ?array<string, mixed>
     */
    private function givenUp(string $reference, ?PaymentResponse $payment, int $age, array $later): ?array
    {
        $isLast = $age >= $this->giveUpAfter + ($later['was_found'] ? self::LAST_AGE : 0) && $later['given_up'];
        if ($isLast || !$later['given_up']) {
            ($this->fire)(new PaymentEnded($reference, $payment, true));
        }
        return $isLast ? null : self::delayed(['given_up' => true] + $later, 1000 * self::DAY);
    }

    /**
     * @param array<string, mixed> $progress
     * @return array<string, mixed>
     */
    private static function delayed(array $progress, int $wait): array
    {
        $delay = min($wait, self::LONGEST_DELAY_MS);
        return ['delay_ms' => $delay, 'rest_ms' => $wait - $delay] + $progress;
    }

    /**
     * The time, and how often in a row it was distrusted: one wrong clock must not give a payment up.
     *
     * @param array<string, mixed> $progress
     * @return array{int, int}
     */
    private static function clock(array $progress): array
    {
        [$now, $before, $doubts] = [time(), $progress['asked'] ?? null, $progress['doubts'] ?? 0];
        $longest = ($progress['given_up'] ?? false) ? 2 * self::DAY : self::DAY;
        $isDoubtful = $before !== null && $now > $before + $longest && $doubts < self::MOST_DOUBTS;
        return $isDoubtful ? [$before, $doubts + 1] : [$now, 0];
    }

    /** @return array<string, mixed> the facts of an answer that the rule of the core needs */
    private static function facts(PaymentResponse|PaymentsException $answer): array
    {
        if ($answer instanceof PaymentResponse) {
            return ['is_over' => $answer->isPaid() || $answer->status() === PaymentResponse::CANCELLED];
        }
        $after = $answer->getRetryAfter();
        return [
            'kind' => $answer->getKind(),
            'code' => $answer->getErrorCode(),
            'http_status' => $answer->getHttpStatus(),
            'retry_after_ms' => $after === null ? null : (int) ceil(1000 * $after),
        ];
    }
}
