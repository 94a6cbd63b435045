<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\ClientInterface;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
use Libpayments\PaymentEnded;
use Libpayments\PaymentResponse;

/**
 * One step of a job that follows a payment: it asks once.
 *
 * @internal
 */
final class FollowUp
{
    private const SHORTEST_MS = 2_000;
    private const LONGEST_MS = 900_000;

    /**
     * Queries a payment, and returns its end, or in how many milliseconds to ask again.
     *
     * @param int $since Unix time in seconds from which the payment is followed
     * @param int $giveUpAfter seconds
     * @throws PaymentsException if a further query cannot help: the configuration or the reference is wrong
     */
    public static function ask(
        ClientInterface $client,
        string $reference,
        int $since,
        int $giveUpAfter,
    ): PaymentEnded|int {
        $payment = null;
        $least = 0;
        try {
            $payment = $client->queryPayment(['merchant_payment_code' => $reference]);
        } catch (ConfigException | ValidationException $error) {
            throw $error;
        } catch (PaymentsException $error) {
            // A failed query decides nothing, not even "not found".
            $least = (int) (1000 * ($error->getRetryAfter() ?? 0));
        }
        $age = max(0, time() - $since);
        $wait = self::decide(1000 * $age, $payment);
        return match (true) {
            $wait === null => new PaymentEnded($reference, $payment),
            $age >= $giveUpAfter => new PaymentEnded($reference, $payment, true),
            default => max($wait, $least),
        };
    }

    /** The decision: null if the payment has ended, or in how many milliseconds to ask again. */
    private static function decide(int $ageMs, ?PaymentResponse $payment): ?int
    {
        if ($payment !== null && ($payment->isPaid() || $payment->status() === PaymentResponse::CANCELLED)) {
            return null;
        }
        return min(max(intdiv($ageMs, 4), self::SHORTEST_MS), self::LONGEST_MS);
    }
}
