<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What `registerTracking` gives.
 */
final class TrackingAnswer extends Answer
{
    /** What the service says of the call. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /**
     * What became of each code, in the order of the answer.
     *
     * @return list<TrackingResult>
     */
    public function result(): array
    {
        return array_map(static fn (array $of): TrackingResult => new TrackingResult(
            $of['customer_email'] ?? null,
            $of['tracking_code'] ?? null,
            $of['order_number'] ?? null,
            $of['status'] ?? null,
        ), $this->member('result') ?? []);
    }

    /**
     * How many codes were sent and how many results came, when they differ.
     *
     * @return array{sent: int, received: int}|null
     */
    public function countMismatch(): ?array
    {
        return $this->member('count_mismatch');
    }

    /**
     * The results that are about another code than was sent in their place.
     *
     * @return list<array{index: int, sent: string, received: string}>|null
     */
    public function codeMismatch(): ?array
    {
        return $this->member('code_mismatch');
    }
}
