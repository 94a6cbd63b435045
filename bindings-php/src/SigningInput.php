<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;
use Libpayments\Internal\Secret;

/**
 * The bytes that a signer signs. They contain payer data.
 */
final class SigningInput
{
    use Secret;
    use ReadByMethods;

    /** The bytes and their digest. */
    private Hidden $parts;

    /** @internal */
    public function __construct(#[\SensitiveParameter] string $bytes, #[\SensitiveParameter] string $sha256)
    {
        $this->parts = new Hidden([$bytes, $sha256]);
    }

    /** The JWS signing input. */
    public function bytes(): string
    {
        return $this->parts->value()[0];
    }

    /** The SHA-256 digest of these bytes (32 bytes), for services that sign digests. */
    public function sha256(): string
    {
        return $this->parts->value()[1];
    }
}
