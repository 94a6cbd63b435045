<?php

declare(strict_types=1);

namespace Libpayments\Internal\Frameworks;

use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;

/**
 * One step of a job that follows a payment: it asks once. The state for the next step travels in
 * the job as `progress`.
 *
 * @internal
 */
final class FollowUp
{
    /** The longest delay of queues. */
    private const LONGEST_DELAY_MS = 900_000;
    private const DAY = 86_400;
    /** This many steps in a row distrust a clock that is a day ahead of the previous step. */
    private const MOST_DOUBTS = 96;

    /**
     * Queries a payment, and returns its end, or the state for the next step: with `delay_ms`,
     * after which to run it.
     *
     * @param int $since Unix time in seconds from which the payment is followed
     * @param int $giveUpAfter seconds
     * @param array<string, mixed> $progress the result of the previous step
     * @return PaymentEnded|array<string, mixed>
     * @throws PaymentsException if no query can work, for example without a journal
     */
    public static function ask(
        ClientInterface $client,
        string $reference,
        int $since,
        int $giveUpAfter,
        array $progress = [],
    ): PaymentEnded|array {
        $rest = $progress['rest_ms'] ?? 0;
        if ($rest > 0) {
            return self::delayed($progress, $rest);
        }
        try {
            $answer = $client->queryPayment(['merchant_payment_code' => $reference]);
        } catch (PaymentsException $error) {
            $answer = $error;
        }
        $payment = $answer instanceof PaymentResponse ? $answer : null;
        [$now, $doubts] = self::clock($progress);
        $next = Client::nextStep([
            'age_ms' => 1000 * max(0, $now - $since),
            'give_up_after_ms' => 1000 * $giveUpAfter,
            'was_found' => $progress['was_found'] ?? false,
            'failures' => $progress['failures'] ?? 0,
            ...self::facts($answer),
        ]);
        return match ($next['step']) {
            'ended' => self::ended($client, $reference, $payment),
            'give_up' => new PaymentEnded($reference, $payment, true),
            'query' => self::delayed([
                'was_found' => $payment !== null || ($progress['was_found'] ?? false),
                'failures' => $next['failures'],
                'asked' => $now,
                'doubts' => $doubts,
            ], $next['wait_ms']),
            default => throw $answer,
        };
    }

    /** @throws PaymentsException if the journal cannot be read: it decides whether to deliver. */
    private static function ended(ClientInterface $client, string $reference, ?PaymentResponse $payment): PaymentEnded
    {
        $difference = $payment?->isPaid() ? $client->journal()->difference($reference, $payment) : null;
        return new PaymentEnded($reference, $payment, difference: $difference);
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
        $isDoubtful = $before !== null && $now > $before + self::DAY && $doubts < self::MOST_DOUBTS;
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
