<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation may have been executed: find out before anything is sent
 * again. Every exception whose outcome is `unknown` is one, and no other.
 *
 * ```php
 * try {
 *     $payment = $client->createPayment($request);
 * } catch (UnknownOutcome $error) {
 *     $payment = $client->queryPayment(['merchant_payment_code' => $error->getReference()]);
 * }
 * ```
 */
interface UnknownOutcome extends \Throwable
{
    /** What to do to find out. */
    public function getAdvice(): ?string;

    /** The merchant's own reference for what was asked. */
    public function getReference(): ?string;

    /** The hash of the payment, when the answer named one. */
    public function getPaymentHash(): ?string;
}
