<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * The result of `Client::doctor()` for a token.
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

    /** The interface's cause of a 401; null if the token is valid. */
    public function cause(): ?string
    {
        return $this->report['cause'] ?? null;
    }

    /** What would have verified, for example `body_pretty_printed`. */
    public function finding(): string
    {
        return (string) ($this->report['finding'] ?? '');
    }

    /** The finding as a sentence, with what to do. */
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
