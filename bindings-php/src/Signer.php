<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Signs outside of this process: an HSM, a key management service. A callable
 * does as well, by `CallbackSigner`.
 *
 * Give `public_key` or `public_key_file` in the configuration to have every
 * signature verified before anything is sent.
 */
interface Signer
{
    /** The key id that the provider assigned. */
    public function kid(): string;

    /**
     * The raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `$input->bytes()`:
     * 512 bytes for a key of 4096 bits.
     *
     * What it throws becomes the call's error, of kind `signing`.
     */
    public function sign(SigningInput $input, CallContext $context): string;
}
