<?php

// Generated from spec/operations by generate/templates/Response.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Secret;

/**
 * A bearer token that is valid now. It is a secret.
 */
final class AccessToken extends Response
{
    use Secret;

    /** The token itself. */
    public function accessToken(): string
    {
        return (string) $this->member('access_token');
    }

    /** `bearer`. */
    public function tokenType(): string
    {
        return (string) $this->member('token_type');
    }

    /** When it must no longer be used, in seconds since 1970 UTC. */
    public function expiresAt(): int
    {
        return (int) $this->member('expires_at');
    }

    /** Scope, as the token server gave it. */
    public function scope(): ?string
    {
        return $this->member('scope');
    }

    /** User name, as the token server gave it. */
    public function userName(): ?string
    {
        return $this->member('user_name');
    }

    /** The token's own id, as the token server gave it. */
    public function jti(): ?string
    {
        return $this->member('jti');
    }

    /** @return array{} what `json_encode` writes of a secret */
    public function jsonSerialize(): array
    {
        return [];
    }
}
