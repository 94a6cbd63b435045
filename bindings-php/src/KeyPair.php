<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;
use Libpayments\Internal\Secret;

/**
 * A new RSA key pair of 4096 bits.
 */
final class KeyPair
{
    use Secret;
    use ReadByMethods;

    private Hidden $privateKey;

    /** @internal */
    public function __construct(#[\SensitiveParameter] string $privateKey, private string $publicKey)
    {
        $this->privateKey = new Hidden($privateKey);
    }

    /** PKCS#8 PEM. Keep it secret. */
    public function privateKey(): string
    {
        return $this->privateKey->value();
    }

    /** SPKI PEM, for the provider, who registers it and returns the kid. */
    public function publicKey(): string
    {
        return $this->publicKey;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['public_key' => $this->publicKey];
    }
}
