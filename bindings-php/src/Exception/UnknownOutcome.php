<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation may have been executed: do not send it again, and find out
 * what was done. Every exception whose outcome is `unknown` is one, and no
 * other.
 *
 * ```php
 * $orders->keep($reference);     // before the call
 * try {
 *     $orders->found($reference, $client->createPayment($request));
 * } catch (UnknownOutcome) {
 *     $orders->followUp($reference);     // a job that queries until the payment is found
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
