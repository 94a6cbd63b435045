<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * The event of a follow-up job: a payment needs no further query. Your listener
 * may run twice for one end, so that must be safe.
 */
final class PaymentEnded
{
    /**
     * @param string $reference the payment's `merchant_payment_code`
     * @param ?PaymentResponse $payment the last response; null if the payment was never found
     * @param bool $isGivenUp whether the payment is still open or was never found, and a person must decide
     * @param ?string $difference how a paid payment differs from the journal's entry: do not
     *     deliver, and look at it
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?PaymentResponse $payment,
        public readonly bool $isGivenUp = false,
        public readonly ?string $difference = null,
    ) {
    }

    /** Whether the payment is paid, and does not differ from the journal's entry. */
    public function isPaid(): bool
    {
        return $this->payment !== null && $this->payment->isPaid() && !$this->differs();
    }

    /** Whether the payment is paid, but its amount, its currency or its reference is not that of the journal. */
    public function differs(): bool
    {
        return $this->difference !== null;
    }
}
