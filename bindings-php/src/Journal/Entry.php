<?php

// Generated from spec/journal.toml by generate/templates/Entry.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Journal;

/**
 * One call in a journal. It holds no payer data, key, token or body. Times are
 * in UTC, by the journal's clock.
 *
 * States and needs are open sets: a later library may have others.
 */
final class Entry
{
    /**
     * `$state`: The call began, and nobody recorded its end. A minute after its deadline
     * it counts as `unknown`.
     */
    public const IN_PROGRESS = 'in_progress';
    /** `$state`: The operation was executed. */
    public const DONE = 'done';
    /** `$state`: The operation was not executed. Its reference can be used again. */
    public const FAILED = 'failed';
    /** `$state`: The operation may have been executed. */
    public const UNKNOWN = 'unknown';

    /** `$needs`: The call may still run, or its effect may still appear. Recover again later. */
    public const TIME = 'time';
    /** `$needs`: A query that works: recover again. */
    public const QUERY = 'query';
    /** `$needs`: A person who looks it up on the provider's platform and resolves the entry. */
    public const PERSON = 'person';

    /** 32 lower-case hexadecimal digits. Later entries have larger ids. */
    public readonly string $id;
    /** Counts the changes of the entry, from 1. */
    public readonly int $version;
    /** Which service and merchant the entry belongs to: `journal_scope`. */
    public readonly string $scope;
    /** `cancel_refund`, `create_payment`, `create_payout`, `refund_payment` or `send`. */
    public readonly string $operation;
    /** The merchant's reference; for a refund and its cancellation the payment hash. */
    public readonly string $reference;
    /** The `merchant_refund_code` of a refund, or of the refund that is cancelled. */
    public readonly ?string $refundCode;
    /** The amount as it is sent: 10.50, not 1050 cents. A refund without one is a full refund. */
    public readonly ?string $amount;
    /** Three-letter currency code. */
    public readonly ?string $currency;
    /** SHA-256 of the body without `integration_key`, in hexadecimal. */
    public readonly string $bodySha256;
    /** The host that made the call; for people only. */
    public readonly string $host;
    /** The process that made the call; for people only. */
    public readonly string $process;
    /** When the entry was written. */
    public readonly \DateTimeImmutable $createdAt;
    /** The latest moment at which the call ends. */
    public readonly \DateTimeImmutable $deadlineAt;
    /** When a person may say that the call was not executed. */
    public readonly \DateTimeImmutable $settlesAt;
    /** When the state was last changed. */
    public readonly ?\DateTimeImmutable $endedAt;
    /** How far the call has come. */
    public readonly string $state;
    /** The recorder of the state; none while the call is in progress. */
    public readonly ?string $decidedBy;
    /** The hash of the payment. */
    public readonly ?string $hash;
    /** The service's id of the payout or of the refund. */
    public readonly ?string $uid;
    /** The kind of the call's error. */
    public readonly ?string $kind;
    /**
     * The code of the call's error. Without a kind, the service's code for a payout that
     * it created and cancelled at once, or `CA`.
     */
    public readonly ?string $code;
    /** The note of a person. */
    public readonly ?string $note;
    /**
     * The id of the entry that took the reference after a person's `no`. It is there if
     * this call was executed after all: both may have moved money.
     */
    public readonly ?string $rival;
    /** The next step that the entry needs: `time`, `query` or `person`; null if it is not open. */
    public readonly ?string $needs;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        $this->id = $members['id'];
        $this->version = $members['version'];
        $this->scope = $members['scope'];
        $this->operation = $members['operation'];
        $this->reference = $members['reference'];
        $this->refundCode = $members['refund_code'];
        $this->amount = $members['amount'];
        $this->currency = $members['currency'];
        $this->bodySha256 = $members['body_sha256'];
        $this->host = $members['host'];
        $this->process = $members['process'];
        $this->createdAt = self::moment($members['created_at']);
        $this->deadlineAt = self::moment($members['deadline_at']);
        $this->settlesAt = self::moment($members['settles_at']);
        $this->endedAt = $members['ended_at'] === null ? null : self::moment($members['ended_at']);
        $this->state = $members['state'];
        $this->decidedBy = $members['decided_by'];
        $this->hash = $members['hash'];
        $this->uid = $members['uid'];
        $this->kind = $members['kind'];
        $this->code = $members['code'];
        $this->note = $members['note'];
        $this->rival = $members['rival'];
        $this->needs = $members['needs'];
    }

    private static function moment(int $milliseconds): \DateTimeImmutable
    {
        $seconds = new \DateTimeImmutable('@' . intdiv($milliseconds, 1000));
        return $seconds->setTimezone(new \DateTimeZone('UTC'))->modify('+' . $milliseconds % 1000 . ' ms');
    }
}
