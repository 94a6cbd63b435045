<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Secret;

/**
 * A new RSA key pair of 4096 bits.
 */
final class KeyPair
{
    use Secret;

    /** @internal */
    public function __construct(
        #[\SensitiveParameter] private string $privateKey,
        private string $publicKey,
    ) {
    }

    /** PKCS#8 PEM. Keep it secret. */
    public function privateKey(): string
    {
        return $this->privateKey;
    }

    /** SPKI PEM, for the provider, who registers it and returns the kid. */
    public function publicKey(): string
    {
        return $this->publicKey;
    }
}
