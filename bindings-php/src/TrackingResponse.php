<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * The service's results for the tracking codes.
 */
final class TrackingResponse extends Response
{
    /** Overall result: `SUCCESS` on success. */
    public function status(): ?string
    {
        return $this->member('status');
    }

    /** Whether every code was newly registered, and nothing differs from the request. */
    public function allCreated(): bool
    {
        return $this->member('all_created') === true;
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
     * Set if the service responded for more or fewer codes than were sent.
     *
     * @return array{sent: int, received: int}|null
     */
    public function countMismatch(): ?array
    {
        return $this->member('count_mismatch');
    }

    /**
     * Set if entries name a different code, order or customer than was sent.
     *
     * @return list<array{index: int, member: string, sent: string, received: string}>|null
     */
    public function mismatches(): ?array
    {
        return $this->member('mismatches');
    }
}
