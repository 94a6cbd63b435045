<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * What the service did with one tracking code.
 */
final class TrackingResult
{
    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(#[\SensitiveParameter] private array $members)
    {
    }

    /** Customer e-mail. */
    public function customerEmail(): ?string
    {
        return $this->members['customer_email'] ?? null;
    }

    /** The code. */
    public function trackingCode(): ?string
    {
        return $this->members['tracking_code'] ?? null;
    }

    /** Merchant's order reference. */
    public function orderNumber(): ?string
    {
        return $this->members['order_number'] ?? null;
    }

    /** `CREATED` for a newly registered code. */
    public function status(): ?string
    {
        return $this->members['status'] ?? null;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['status' => $this->members['status'] ?? null];
    }
}
