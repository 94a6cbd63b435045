<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * A refund as the service returned it.
 */
final class RefundResponse extends Response
{
    /** The service's id of the refund. */
    public function refundId(): ?string
    {
        return $this->member('refund_id');
    }

    /** Status of the refund. The set is open: other codes come as they are. */
    public function refundStatus(): ?string
    {
        return $this->member('refund_status');
    }

    /** Status of the refunded payment. The set is open: other codes come as they are. */
    public function paymentStatus(): ?string
    {
        return $this->member('payment_status');
    }

    /** Hash of the refunded payment. */
    public function hash(): ?string
    {
        return $this->member('hash');
    }

    /**
     * All refunds of the payment, with this one.
     *
     * @return list<PaymentRefund>
     */
    public function refunds(): array
    {
        $parts = $this->member('refunds') ?? [];
        return array_map(static fn (array $of): PaymentRefund => new PaymentRefund($of), $parts);
    }
}
