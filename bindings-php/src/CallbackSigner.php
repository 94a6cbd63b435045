<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * A signer that calls a callable.
 *
 * ```php
 * $signer = new CallbackSigner('my-kid', fn (SigningInput $input): string => $kms->sign($input->sha256()));
 * ```
 */
final class CallbackSigner implements Signer
{
    private \Closure $sign;

    /** @param callable(SigningInput, CallContext): string $sign */
    public function __construct(private string $kid, callable $sign)
    {
        $this->sign = \Closure::fromCallable($sign);
    }

    public function kid(): string
    {
        return $this->kid;
    }

    public function sign(SigningInput $input, CallContext $context): string
    {
        return ($this->sign)($input, $context);
    }
}
