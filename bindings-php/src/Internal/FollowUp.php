<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Client;
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
        $next = Client::nextStep([
            'age_ms' => 1000 * $age,
            'give_up_after_ms' => 1000 * $giveUpAfter,
            ...self::facts($answer),
        ]);
        return match ($next['step']) {
            'ended' => new PaymentEnded($reference, $payment),
            'give_up' => new PaymentEnded($reference, $payment, true),
            'query' => $next['wait_ms'],
            default => throw $answer,
        };
    }

    /** @return array<string, mixed> what the rule of the core asks of an answer */
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
