<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * The end of a payment, a refund or a payout that was followed.
 */
final class FollowEnd
{
    use ReadByMethods;

    /** It is paid, or refunded. */
    public const CONFIRMED = 'confirmed';
    public const CANCELLED = 'cancelled';
    /** It has ended, but with a different amount, currency or spelling of its reference. */
    public const DIFFERS = 'differs';
    /** It is still open, or was never found. It is queried once a day from then on. */
    public const GIVEN_UP = 'given_up';
    /** Its reference is invalid. The next run queries it again. */
    public const FAILED = 'failed';
    /** Not an end: queries fail, and pause. Open payments stay open. */
    public const QUERY_FAILING = 'query_failing';
    /** Not an end: queries are late. */
    public const BEHIND = 'behind';

    /** The operation of the payment, the refund or the payout, for example `create_payment`. */
    public readonly string $operation;
    /** Your reference, or the hash or uid by which it is followed; for a refund the payment hash. */
    public readonly string $reference;
    /** The `merchant_refund_code` of a refund. */
    public readonly ?string $refundCode;
    /** The service's id of a refund or a payout, if it is known. */
    public readonly ?string $uid;
    /** The payment hash, if it is known. */
    public readonly ?string $hash;
    /** The hash of a cancelled payment with the same reference, if the payer tried again and this one is paid. */
    public readonly ?string $otherHash;
    /** One of the constants. */
    public readonly string $end;
    /** The code of the last status, such as `CO`, or `PA` of a payout. */
    public readonly ?string $status;
    /** The amount that the service shows: `amount_total`, or else `amount_ext`. */
    public readonly ?string $amount;
    /** Its currency: `currency_code`, or else `currency_ext`. */
    public readonly ?string $currency;
    /** Whether this end may have been reported before. */
    public readonly bool $repeated;
    private bool $isFinal;
    /** Why it was given up, differs or failed, or queries fail or are late. */
    public readonly ?string $reason;
    /** The code of the error of the last query, or the service's of a payout that it cancelled: `BANK_INFO`. */
    public readonly ?string $code;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        $this->operation = $members['operation'];
        $this->reference = $members['reference'];
        $this->refundCode = $members['refund_code'];
        $this->uid = $members['uid'];
        $this->hash = $members['hash'];
        $this->otherHash = $members['other_hash'];
        $this->end = $members['end'];
        $this->status = $members['status'];
        $this->amount = $members['amount'];
        $this->currency = $members['currency'];
        $this->repeated = $members['repeated'];
        $this->isFinal = $members['final'];
        $this->reason = $members['reason'];
        $this->code = $members['code'];
    }

    /** Whether a payment that was given up is never reported again. */
    public function isFinal(): bool
    {
        return $this->isFinal;
    }

    /** Whether it is paid, or refunded. */
    public function isConfirmed(): bool
    {
        return $this->end === self::CONFIRMED;
    }
}
