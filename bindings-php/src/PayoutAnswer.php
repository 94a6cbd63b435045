<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What `createPayout` gives.
 */
final class PayoutAnswer extends Answer
{
    /** The service's name for the payout. */
    public function uid(): ?string
    {
        return $this->member('uid');
    }

    /** The status of the payout. The set is open. */
    public function status(): ?string
    {
        return $this->member('status');
    }
}
