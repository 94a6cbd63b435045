<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * Whether a token verifies over a body.
 */
final class Verification
{
    use ReadByMethods;

    /**
     * @internal
     * @param array<string, mixed> $report
     */
    public function __construct(private array $report)
    {
    }

    /** Whether the token is valid. */
    public function isValid(): bool
    {
        return ($this->report['valid'] ?? false) === true;
    }

    /** The interface's cause of a 401, for example `signature_mismatch`. */
    public function cause(): ?string
    {
        return $this->report['cause'] ?? null;
    }

    /** The mistake. */
    public function detail(): ?string
    {
        return $this->report['detail'] ?? null;
    }

    /** The remedy. */
    public function remedy(): ?string
    {
        return $this->report['remedy'] ?? null;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->report;
    }
}
