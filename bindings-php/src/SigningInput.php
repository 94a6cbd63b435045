<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Secret;

/**
 * What is to be signed. It holds payer data.
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

    /** The bytes to sign. */
    public function bytes(): string
    {
        return $this->bytes;
    }

    /** The 32 bytes of their SHA-256, for services that sign digests. */
    public function sha256(): string
    {
        return $this->sha256;
    }
}
