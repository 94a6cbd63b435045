<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Stores the entries of calls that move money, durably and for all processes
 * that share it. `PdoJournal` keeps them in a database.
 *
 * Each method is one committed transaction of its own. A journal decides
 * nothing: the unique indexes of its table do. If a method throws before the
 * request is sent, the call fails with a `JournalException`, and the original is
 * in `getPrevious()`. Afterwards nothing changes the call's result, and the
 * observer receives `journal_failed`. Both name the class of the exception, and
 * show the message of a `JournalUnavailable`.
 *
 * Times are milliseconds since 1970 UTC by the journal's clock.
 *
 * @phpstan-type Entry array{
 *     id: string,
 *     version: int,
 *     scope: string,
 *     operation: string,
 *     reference: string,
 *     refund_code: ?string,
 *     amount: ?string,
 *     currency: ?string,
 *     body_sha256: string,
 *     host: string,
 *     process: string,
 *     created_at: int,
 *     deadline_at: int,
 *     ended_at: ?int,
 *     state: 'in_progress'|'done'|'failed'|'unknown',
 *     decided_by: 'call'|'recovery'|'person'|null,
 *     hash: ?string,
 *     uid: ?string,
 *     kind: ?string,
 *     code: ?string,
 *     note: ?string,
 *     conflict: ?string,
 *     superseded_by: ?string,
 * }
 */
interface Journal
{
    /**
     * Inserts the entry, unless an index refuses it, and marks those of
     * `$superseded` with its id, all in one transaction. Returns false, and
     * changes nothing, if an index refuses the entry or if one of
     * `$superseded` has another version by now.
     *
     * `created_at` becomes now, and `deadline_at` moves by the same amount. The
     * entry must survive a power failure when this returns.
     *
     * @param Entry $entry
     * @param list<Entry> $superseded
     */
    public function insert(array $entry, array $superseded, CallContext $context): bool;

    /**
     * Stores `state`, `decided_by`, `hash`, `uid`, `kind`, `code`, `note` and
     * `conflict` of the entry, sets `ended_at` to now, and adds one to the
     * version. Returns false if the stored entry has another version.
     *
     * If the state is `failed`, what the entry had superseded is in force again,
     * in the same transaction: it gets the entry's own `superseded_by`, mostly
     * null, and one is added to its version.
     *
     * @param Entry $entry
     */
    public function update(array $entry, CallContext $context): bool;

    /**
     * Reads at most `limit` entries by their ids, the smallest first, and the
     * time, `now`. All conditions that are not null must hold. `is_open` wants
     * entries that are in progress or unknown, and not superseded; `after` wants
     * larger ids.
     *
     * @param array{scope: string, id: ?string, reference: ?string, is_open: bool, after: ?string, limit: int} $filter
     * @return array{now: int, entries: list<Entry>}
     */
    public function find(array $filter, CallContext $context): array;

    /**
     * Deletes the entries of the scope that are not open and older than `$ageMs`,
     * both now and when the newest entry that is `done` was created, since a
     * clock may be wrong. Returns their number.
     */
    public function prune(string $scope, int $ageMs, CallContext $context): int;
}
