<?php

// Generated from spec/journal.toml by generate/templates/Journal.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * Stores the entries of calls that move money, durably and for all processes
 * that share it. `PdoJournal` keeps them in a database.
 *
 * Each method is one committed transaction. A journal decides
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
 *     settles_at: int,
 *     ended_at: ?int,
 *     state: 'in_progress'|'done'|'failed'|'unknown',
 *     decided_by: 'call'|'recovery'|'person'|null,
 *     hash: ?string,
 *     uid: ?string,
 *     kind: ?string,
 *     code: ?string,
 *     note: ?string,
 *     rival: ?string,
 * }
 */
interface Journal
{
    /**
     * Inserts the entry, unless an index refuses it. Returns false, and changes
     * nothing, if one does.
     *
     * `created_at` becomes now, and `deadline_at` and `settles_at` move by the
     * same amount. The entry must survive a power failure when this returns.
     *
     * @param Entry $entry
     */
    public function insert(array $entry, CallContext $context): bool;

    /**
     * Stores `state` of the entry and the members after it, sets `ended_at` to
     * now, and adds one to the version.
     *
     * `changed` is false, and nothing changes, if the stored entry has another
     * version, or if an index refuses it: then `taken_by` is the id of the entry
     * that has taken the reference.
     *
     * @param Entry $entry
     * @return array{changed: bool, taken_by: ?string}
     */
    public function update(array $entry, CallContext $context): array;

    /**
     * Reads at most `limit` entries of the scope by their ids, the smallest
     * first, and the time, `now`. At most one of `id`, `reference` or `hash`, and
     * `is_open` is set. With both `reference` and `hash`, it reads the entries that
     * have either. `is_open` wants entries that are in progress or unknown, or have a
     * rival; `after` wants larger ids. With `ended_from`, the result has at least
     * the entries whose `ended_at` is that or later.
     *
     * @param array{scope: string, id: ?string, reference: ?string, hash: ?string, is_open: bool,
     *     ended_from?: int, after: ?string, limit: int} $filter
     * @return array{now: int, entries: list<Entry>}
     */
    public function find(array $filter, CallContext $context): array;

    /**
     * Counts the entries of the scope that were created before `$before`: those
     * that are `done`, those that are `failed` without a rival, and those that
     * are open. `newest` is when the newest entry of the scope was created.
     *
     * @return array{now: int, newest: ?int, done: int, failed: int, open: int}
     */
    public function count(string $scope, int $before, CallContext $context): array;

    /**
     * Deletes at most `$limit` entries of the scope that were created before
     * `$before` and are not open. Returns their number.
     */
    public function prune(string $scope, int $before, int $limit, CallContext $context): int;
}
