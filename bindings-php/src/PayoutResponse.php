<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * A payout as the service returned it.
 */
final class PayoutResponse extends Response
{
    /** The service's id of the payout. */
    public function uid(): ?string
    {
        return $this->member('uid');
    }

    /** Status of the payout, an open set. */
    public function status(): ?string
    {
        return $this->member('status');
    }
}
