<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;

/**
 * A signer that calls a callable.
 *
 * ```php
 * $signer = new CallbackSigner('my-kid', fn (SigningInput $input): string => $kms->sign($input->sha256()));
 * ```
 */
final class CallbackSigner implements Signer
{
    /** A closure, which may have captured a key. */
    private Hidden $sign;

    /** @param callable(SigningInput, CallContext): string $sign */
    public function __construct(private string $kid, #[\SensitiveParameter] callable $sign)
    {
        $this->sign = new Hidden(\Closure::fromCallable($sign));
    }

    public function kid(): string
    {
        return $this->kid;
    }

    public function sign(SigningInput $input, CallContext $context): string
    {
        return ($this->sign->value())($input, $context);
    }
}
