<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

/**
 * A message: follow this payment until it ends. Its handler asks once and sends
 * the message again with a delay, so route it to a transport that can delay.
 */
final class FollowPayment
{
    /** Unix time in seconds from which the payment is followed. */
    public readonly int $since;

    /**
     * @internal `$progress` is the result of the previous message
     * @param array<string, mixed> $progress
     */
    public function __construct(
        public readonly string $reference,
        ?int $since = null,
        public readonly array $progress = [],
    ) {
        $this->since = $since ?? time();
    }
}
