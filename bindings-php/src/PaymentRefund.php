<?php

// Generated from spec/operations by generate/templates/Part.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;

/**
 * A refund of a payment, in the list that the payment has.
 */
final class PaymentRefund
{
    use ReadByMethods;

    private Hidden $members;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(#[\SensitiveParameter] array $members)
    {
        $this->members = new Hidden($members);
    }

    /** The service's id of the refund. */
    public function id(): ?string
    {
        return $this->members->value()['id'] ?? null;
    }

    /** Merchant's own reference for the refund. */
    public function merchantRefundCode(): ?string
    {
        return $this->members->value()['merchant_refund_code'] ?? null;
    }

    /** Status of the refund, for example `CO` once it is confirmed. */
    public function status(): ?string
    {
        return $this->members->value()['status'] ?? null;
    }

    /** Refunded amount, in the currency of the payment: 10.50, not 1050 cents. */
    public function amountExt(): ?string
    {
        return $this->members->value()['amount_ext'] ?? null;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['status' => $this->members->value()['status'] ?? null];
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        return $this->members->value();
    }

    /** @param array<string, mixed> $members */
    public function __unserialize(#[\SensitiveParameter] array $members): void
    {
        $this->__construct($members);
    }
}
