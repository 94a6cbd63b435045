<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What `createPayment` and `queryPayment` give. That the call was answered
 * does not mean that the payment was made: `isPaid()` does.
 */
final class PaymentAnswer extends Answer
{
    /** `status()` of a payment that nothing was done about yet. */
    public const OPEN = 'OP';
    /** `status()` of a payment that waits for the payer. */
    public const PENDING = 'PE';
    /** `status()` of a payment that is paid. */
    public const CONFIRMED = 'CO';
    /** `status()` of a payment that was cancelled. */
    public const CANCELLED = 'CA';

    /** The status of the payment. The set is open: other codes come as they are. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /** Whether the payment is paid: true for the status `CO` only. */
    public function isPaid(): bool
    {
        return $this->member('is_paid') === true;
    }

    /** The payment hash, by which the payment is queried and refunded. */
    public function hash(): ?string
    {
        return $this->member('hash');
    }

    /** The merchant's own reference. */
    public function merchantPaymentCode(): ?string
    {
        return $this->member('merchant_payment_code');
    }

    /** The text of the QR code of a PIX payment. */
    public function qrCodeValue(): ?string
    {
        return $this->member('qr_code_value');
    }
}
