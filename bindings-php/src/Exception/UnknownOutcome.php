<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation may have been executed: do not send it again, but find out
 * whether it was. Exactly the exceptions with the outcome `unknown` implement
 * this interface.
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
    /** How to find out whether the operation was executed. */
    public function getAdvice(): ?string;

    /** The merchant's own reference for the operation. */
    public function getReference(): ?string;

    /** The payment hash in the response, if there is one. */
    public function getPaymentHash(): ?string;
}
