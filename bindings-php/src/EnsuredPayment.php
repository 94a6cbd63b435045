<?php

declare(strict_types=1);

namespace Libpayments;

/** A payment that was found by its reference, or created: the result of `Client::ensurePayment`. */
final class EnsuredPayment extends PaymentResponse
{
    /**
     * Whether this is the response to the creation that this call sent. False for
     * a payment that a query found, even if this call had sent its creation and
     * got no response.
     */
    public function isCreated(): bool
    {
        return $this->member('is_created') === true;
    }

    /**
     * The parts of the request that could not be compared with a payment that was found:
     * `currency_code` and `amount_total`, which the response may lack, and
     * `body`, the rest of the request, which only a journal records.
     *
     * @return list<string>
     */
    public function unchecked(): array
    {
        return $this->member('unchecked');
    }

    /**
     * The hash of a cancelled payment with this reference, if the payer tried again
     * and this payment is the one that is paid.
     */
    public function otherHash(): ?string
    {
        return $this->member('other_hash');
    }
}
