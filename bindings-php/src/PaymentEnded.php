<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * The event of a follow-up job. Your listener runs again if it throws, and may run
 * twice for one end, so that must be safe: change the order in one statement of your
 * database, and deliver if that changed a row.
 */
final class PaymentEnded
{
    use ReadByMethods;

    /**
     * @param string $reference the payment's `merchant_payment_code`
     * @param ?PaymentResponse $payment the last response; null if the payment was never found
     * @param bool $isGivenUp whether the payment is still open or was never found, and a person must decide; it is
     *     queried once a day from then on
     * @param ?string $difference how a paid payment differs from the order or the journal's entry: do not
     *     deliver, and look at it
     */
    public function __construct(
        public readonly string $reference,
        public readonly ?PaymentResponse $payment,
        private bool $isGivenUp = false,
        public readonly ?string $difference = null,
    ) {
    }

    /** Whether the payment is paid, with the amount and currency of the order, and as the journal's entry has it. */
    public function isPaid(): bool
    {
        return $this->payment !== null && $this->payment->isPaid() && !$this->differs();
    }

    /** Whether the payment is still open or was never found: a person must decide. */
    public function isGivenUp(): bool
    {
        return $this->isGivenUp;
    }

    /** Whether the payment is paid, but its amount, currency or reference is not that of the order or the journal. */
    public function differs(): bool
    {
        return $this->difference !== null;
    }
}
