<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * What the service did with the tracking codes.
 */
final class TrackingResponse extends Response
{
    /** Overall result: `SUCCESS` on success. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /**
     * One entry for each submitted code, in the order in which they came.
     *
     * @return list<TrackingResult>
     */
    public function result(): array
    {
        $parts = $this->member('result') ?? [];
        return array_map(static fn (array $of): TrackingResult => new TrackingResult($of), $parts);
    }

    /**
     * Set if the service responded for another number of codes than were sent.
     *
     * @return array{sent: int, received: int}|null
     */
    public function countMismatch(): ?array
    {
        return $this->member('count_mismatch');
    }

    /**
     * Set if entries are about other codes than were sent in their places.
     *
     * @return list<array{index: int, sent: string, received: string}>|null
     */
    public function codeMismatch(): ?array
    {
        return $this->member('code_mismatch');
    }
}
