<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Secret;

/**
 * The bytes that a signer signs. They contain payer data.
 */
final class SigningInput
{
    use Secret;

    /** @internal */
    public function __construct(
        #[\SensitiveParameter] private string $bytes,
        private string $sha256,
    ) {
    }

    /** The JWS signing input. */
    public function bytes(): string
    {
        return $this->bytes;
    }

    /** The SHA-256 digest of these bytes (32 bytes), for services that sign digests. */
    public function sha256(): string
    {
        return $this->sha256;
    }
}
