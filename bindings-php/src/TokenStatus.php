<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * What is known of the bearer token, without asking for one.
 */
final class TokenStatus
{
    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(private array $members)
    {
    }

    /** Whether a call made now would use the token that is there. */
    public function isUsable(): bool
    {
        return ($this->members['is_usable'] ?? false) === true;
    }

    /** How many seconds ago it was had. */
    public function age(): ?int
    {
        return $this->members['age'] ?? null;
    }

    /** How many seconds it lives still. */
    public function remaining(): ?int
    {
        return $this->members['remaining'] ?? null;
    }

    /** For how many seconds nobody will ask for a token, after a refusal. */
    public function backoff(): ?int
    {
        return $this->members['backoff'] ?? null;
    }

    /**
     * All of it, with the other members of the token response.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return $this->members;
    }
}
