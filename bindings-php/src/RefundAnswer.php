<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What `refundPayment` gives.
 */
final class RefundAnswer extends Answer
{
    /** The service's name for the refund. */
    public function refundId(): ?string
    {
        return $this->member('refund_id');
    }

    /** The status of the refund: `RE`, `PE`, `CO`, `CA`, or another code. */
    public function refundStatus(): ?string
    {
        return $this->member('refund_status');
    }

    /** The status of the payment. */
    public function paymentStatus(): ?string
    {
        return $this->member('payment_status');
    }

    /** The payment hash. */
    public function hash(): ?string
    {
        return $this->member('hash');
    }
}
