<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;

/**
 * One step of a job that follows a payment: it asks once.
 *
 * @internal
 */
final class FollowUp
{
    private const SOONEST_MS = 2_000;
    private const LATEST_MS = 900_000;
    /** A service may find a payment only some time after it was created. */
    private const NOT_FOUND_UNTIL_MS = 900_000;

    private const PASSING_KINDS = ['connect', 'timeout', 'transport', 'rate_limited', 'token'];

    /**
     * Queries a payment, and returns its end, or in how many milliseconds to ask again.
     *
     * @param int $since Unix time in seconds from which the payment is followed
     * @param int $giveUpAfter seconds
     * @throws PaymentsException if another query would fail alike, for example with a wrong key
     */
    public static function ask(
        ClientInterface $client,
        string $reference,
        int $since,
        int $giveUpAfter,
    ): PaymentEnded|int {
        try {
            $answer = $client->queryPayment(['merchant_payment_code' => $reference]);
        } catch (PaymentsException $error) {
            $answer = $error;
        }
        $payment = $answer instanceof PaymentResponse ? $answer : null;
        $age = max(0, time() - $since);
        $wait = self::decide(1000 * $age, $answer);
        if ($wait === null && $payment !== null) {
            return new PaymentEnded($reference, $payment);
        }
        if ($wait === null && $answer->getErrorCode() !== ErrorCode::PAYMENT_NOT_FOUND) {
            throw $answer;
        }
        return $wait === null || $age >= $giveUpAfter ? new PaymentEnded($reference, $payment, true) : $wait;
    }

    /**
     * In how many milliseconds to ask again about a payment of that age; null
     * if it is over, or if another query would fail alike.
     */
    private static function decide(int $ageMs, PaymentResponse|PaymentsException $answer): ?int
    {
        $usual = min(max(intdiv($ageMs, 10), self::SOONEST_MS), self::LATEST_MS);
        if ($answer instanceof PaymentResponse) {
            return $answer->isPaid() || $answer->status() === PaymentResponse::CANCELLED ? null : $usual;
        }
        $passes = in_array($answer->getKind(), self::PASSING_KINDS, true)
            || $answer->getKind() === 'status' && $answer->getHttpStatus() >= 500
            || $answer->getErrorCode() === ErrorCode::PAYMENT_NOT_FOUND && $ageMs < self::NOT_FOUND_UNTIL_MS;
        return $passes ? max($usual, (int) ceil(1000 * ($answer->getRetryAfter() ?? 0))) : null;
    }
}
