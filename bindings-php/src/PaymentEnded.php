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
     * @param ?string $difference how a payment that is paid differs from what the journal has: do not deliver, and
     *     look at it
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?PaymentResponse $payment,
        public readonly bool $isGivenUp = false,
        public readonly ?string $difference = null,
    ) {
    }

    /** Whether the payment is paid, and does not differ from what the journal has. */
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
