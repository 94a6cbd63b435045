<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What became of one tracking code.
 */
final class TrackingResult
{
    /** @internal */
    public function __construct(
        #[\SensitiveParameter] private ?string $customerEmail,
        private ?string $trackingCode,
        private ?string $orderNumber,
        private ?string $status,
    ) {
    }

    /** The customer's e-mail. */
    public function customerEmail(): ?string
    {
        return $this->customerEmail;
    }

    /** The tracking code. */
    public function trackingCode(): ?string
    {
        return $this->trackingCode;
    }

    /** The merchant's order reference. */
    public function orderNumber(): ?string
    {
        return $this->orderNumber;
    }

    /** For example `CREATED`. */
    public function status(): ?string
    {
        return $this->status;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['status' => $this->status];
    }
}
