<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * The event of a follow-up job: a payment needs no further query. What your
 * listener does may be repeated, so it must be safe to do twice.
 */
final class PaymentEnded
{
    /**
     * @param string $reference the payment's `merchant_payment_code`
     * @param ?PaymentResponse $payment the last response; null if the payment was never found
     * @param bool $isGivenUp whether the payment is still open or was never found, and a person must decide
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?PaymentResponse $payment,
        public readonly bool $isGivenUp = false,
    ) {
    }

    /** Whether the payment is paid. */
    public function isPaid(): bool
    {
        return $this->payment !== null && $this->payment->isPaid();
    }
}
