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
}
