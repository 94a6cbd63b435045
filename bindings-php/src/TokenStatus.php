<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * The state of the cached bearer token.
 */
final class TokenStatus
{
    use ReadByMethods;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(private array $members)
    {
    }

    /** Whether a call would use the cached token now. */
    public function isUsable(): bool
    {
        return ($this->members['is_usable'] ?? false) === true;
    }

    /** The age of the token in seconds. */
    public function age(): ?int
    {
        return $this->members['age'] ?? null;
    }

    /** For how many more seconds the token is valid. */
    public function remaining(): ?int
    {
        return $this->members['remaining'] ?? null;
    }

    /** For how many seconds the token server is not contacted after a refusal (backoff). */
    public function backoff(): ?int
    {
        return $this->members['backoff'] ?? null;
    }

    /**
     * All members, including the others of the token response.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return $this->members;
    }
}
