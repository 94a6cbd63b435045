<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What the doctor says of a token.
 */
final class Diagnosis
{
    /**
     * @internal
     * @param array<string, mixed> $report
     */
    public function __construct(private array $report)
    {
    }

    /** Which of the interface's causes of a 401 it is; null for a valid token. */
    public function cause(): ?string
    {
        return $this->report['cause'] ?? null;
    }

    /** What would have verified, for example `body_pretty_printed`. */
    public function finding(): string
    {
        return (string) ($this->report['finding'] ?? '');
    }

    /** The finding in words, and what to do about it. */
    public function message(): string
    {
        return (string) ($this->report['message'] ?? '');
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->report;
    }
}
