<?php

declare(strict_types=1);

namespace Libpayments\Internal\Frameworks;

/**
 * The members of a job that follows a payment.
 *
 * @internal
 */
trait FollowedPayment
{
    /**
     * The state of the chain of jobs: `since` is the Unix time at which it began, `chain` its name.
     *
     * @var array<string, mixed>
     */
    public readonly array $progress;

    /**
     * @param string $reference the payment's `merchant_payment_code`
     * @param string $amount the total of the order, such as `10.50`: only a payment of it counts as paid
     * @param string $currency such as `BRL`
     * @param array<string, mixed> $progress for the package itself: the result of the previous job
     */
    public function __construct(
        public readonly string $reference,
        public readonly string $amount,
        public readonly string $currency,
        array $progress = [],
    ) {
        $this->progress = $progress + ['since' => time(), 'chain' => bin2hex(random_bytes(8))];
    }
}
