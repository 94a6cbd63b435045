<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Signs outside of this process: with an HSM or a key management service. To
 * use a callable, see `CallbackSigner`.
 *
 * With `public_key` or `public_key_file` in the configuration, every signature
 * is verified before anything is sent.
 */
interface Signer
{
    /** The key id that the provider assigned. */
    public function kid(): string;

    /**
     * Returns the raw RSASSA-PKCS1-v1_5 signature with SHA-256 over
     * `$input->bytes()`: 512 bytes, with `allow_small_keys` also fewer.
     *
     * If it throws, the call fails with an error of kind `signing`.
     */
    public function sign(SigningInput $input, CallContext $context): string;
}
