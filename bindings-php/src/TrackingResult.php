<?php

// Generated from spec/operations by generate/templates/Part.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;

/**
 * The service's result for one tracking code.
 */
final class TrackingResult
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

    /** Customer e-mail. */
    public function customerEmail(): ?string
    {
        return $this->members->value()['customer_email'] ?? null;
    }

    /** The code. */
    public function trackingCode(): ?string
    {
        return $this->members->value()['tracking_code'] ?? null;
    }

    /** Merchant's order reference. */
    public function orderNumber(): ?string
    {
        return $this->members->value()['order_number'] ?? null;
    }

    /** `CREATED` for a newly registered code. */
    public function status(): ?string
    {
        return $this->members->value()['status'] ?? null;
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
