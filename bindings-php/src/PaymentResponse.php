<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * A payment as the service returned it. A successful response does not mean that the payment was made: `is_paid` does.
 */
class PaymentResponse extends Response
{
    /** `status()`: nothing is decided. */
    public const OPEN = 'OP';
    /** `status()`: waiting for the payer or the bank. */
    public const PENDING = 'PE';
    /** `status()`: paid. */
    public const CONFIRMED = 'CO';
    /** `status()`: declined, expired or withdrawn. */
    public const CANCELLED = 'CA';

    /** Status of the payment. The set is open: other codes come as they are. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /** Whether the payment is paid: true for the status `CO` only. */
    public function isPaid(): bool
    {
        return $this->member('is_paid') === true;
    }

    /** Payment hash, by which the payment is queried and refunded. */
    public function hash(): ?string
    {
        return $this->member('hash');
    }

    /** Merchant's own reference for the payment. */
    public function merchantPaymentCode(): ?string
    {
        return $this->member('merchant_payment_code');
    }

    /** The code that the payer scans or pastes to pay by `pix`; if it is missing, query it. */
    public function qrCodeValue(): ?string
    {
        return $this->member('qr_code_value');
    }

    /** Page on which the payer continues. */
    public function redirectUrl(): ?string
    {
        return $this->member('redirect_url');
    }

    /** Page with the pay slip to pay by `oxxo`. */
    public function oxxoUrl(): ?string
    {
        return $this->member('oxxo_url');
    }

    /** Digits of the barcode to pay by `oxxo`. */
    public function oxxoBarcode(): ?string
    {
        return $this->member('oxxo_barcode');
    }

    /** Account (CLABE) to which the payer sends the money. */
    public function clabeAccount(): ?string
    {
        return $this->member('clabe_account');
    }

    /** The last day on which the payer can pay. */
    public function dueDate(): ?string
    {
        return $this->member('due_date');
    }

    /** The acquirer's code of its decision, for example `OK` or `NOK`. */
    public function declineCode(): ?string
    {
        return $this->member('decline_code');
    }

    /** The acquirer's decision in words. */
    public function declineReason(): ?string
    {
        return $this->member('decline_reason');
    }

    /** Whether a card payment is authorized and waits for its capture. */
    public function captureAvailable(): bool
    {
        return $this->member('capture_available') === true;
    }

    /**
     * The refunds of the payment.
     *
     * @return list<PaymentRefund>
     */
    public function refunds(): array
    {
        $parts = $this->member('refunds') ?? [];
        return array_map(static fn (array $of): PaymentRefund => new PaymentRefund($of), $parts);
    }

    /** The next action to show the payer. */
    public function nextAction(): NextAction
    {
        return new NextAction($this->member('next_action'));
    }

    /** Draws `qrCodeValue()` as a QR code, an SVG document; null without one. */
    public function qrSvg(): ?string
    {
        $code = $this->qrCodeValue();
        return $code === null ? null : Client::qrSvg($code);
    }

    /**
     * Draws `qrCodeValue()` as a QR code, the bytes of a PNG file; null without one.
     *
     * @param int $moduleSize the side of a module in pixels, from 1 to 64
     * @throws Exception\ValidationException for another size
     */
    public function qrPng(int $moduleSize = 6): ?string
    {
        $code = $this->qrCodeValue();
        return $code === null ? null : Client::qrPng($code, $moduleSize);
    }
}
