<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * A payout as the service returned it. A successful response does not mean that the payee has the money: `is_paid`
 * does. One with the status `CA` was created, and cancelled by the service: correct what `code` is about, and send it
 * again under a new reference.
 */
final class PayoutResponse extends Response
{
    /** `status()`: nothing is decided. */
    public const OPEN = 'OP';
    /** `status()`: on its way to the payee. */
    public const PENDING = 'PE';
    /** `status()`: the payee has the money. */
    public const PAID = 'PA';
    /** `status()`: the payee does not get the money. */
    public const CANCELLED = 'CA';

    /** The service's id of the payout. */
    public function uid(): ?string
    {
        return $this->member('uid');
    }

    /** Merchant's reference for the payout. */
    public function externalReference(): ?string
    {
        return $this->member('external_reference');
    }

    /** Status of the payout. The set is open: other codes come as they are. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /** Whether the payee has the money: true for the status `PA` only. */
    public function isPaid(): bool
    {
        return $this->member('is_paid') === true;
    }

    /** The service's code of a cancelled payout, for example `TAX_ID_MISMATCH`. */
    public function code(): ?string
    {
        return $this->member('code');
    }

    /** Amount in `currency`, as it was requested: 10.50, not 1050 cents. */
    public function amount(): ?string
    {
        return $this->member('amount');
    }

    /** Three-letter currency code of `amount`. */
    public function currency(): ?string
    {
        return $this->member('currency');
    }

    /** When the payout was requested, as the service wrote it. */
    public function requestDate(): ?string
    {
        return $this->member('request_date');
    }

    /** When the status changed, as the service wrote it. */
    public function statusDate(): ?string
    {
        return $this->member('status_date');
    }

    /** When the payee got the money, as the service wrote it. */
    public function paidDate(): ?string
    {
        return $this->member('paid_date');
    }

    /** When the payout was cancelled, as the service wrote it. */
    public function cancelDate(): ?string
    {
        return $this->member('cancel_date');
    }
}
