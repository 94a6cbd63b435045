<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * The operation was executed, or may have been: do not send it again. Exactly the
 * exceptions whose outcome is not `not_executed` implement this interface.
 *
 * ```php
 * $orders->keep($reference);     // before the call
 * try {
 *     $orders->found($reference, $client->createPayment($request));
 * } catch (MayHaveBeenExecuted) {
 *     $orders->followUp($reference);     // a job that queries until the payment is found
 * }
 * ```
 */
interface MayHaveBeenExecuted extends \Throwable
{
    /** The next step instead of sending the operation again. */
    public function getAdvice(): ?string;

    /** The merchant's own reference for the operation. */
    public function getReference(): ?string;

    /** The payment hash in the response, if there is one. */
    public function getPaymentHash(): ?string;
}
