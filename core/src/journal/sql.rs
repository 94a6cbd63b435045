//! The statements of a journal in a database, for SQLite and PostgreSQL.
//!
//! Parameters are named, as in `:reference`, after the members of
//! [`Entry`](super::Entry) and [`Filter`](super::Filter). `{now}` stands for the
//! clock of the database in milliseconds: [`NOW_SQLITE`] or
//! [`NOW_POSTGRESQL`].

/// Makes the table and its indexes.
pub const SCHEMA: &str = include_str!("schema.sql");

/// SQLite's clock, in milliseconds since 1970 UTC.
pub const NOW_SQLITE: &str = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";

/// PostgreSQL's clock, in milliseconds since 1970 UTC.
pub const NOW_POSTGRESQL: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Inserts an entry that is in progress, unless an index refuses it: then it
/// changes no row. Takes the members of the entry.
pub const INSERT: &str = "\
INSERT INTO payments_journal (
    id, version, scope, operation, reference, refund_code, amount, currency, body_sha256, host,
    process, created_at, deadline_at, state
) VALUES (
    :id, :version, :scope, :operation, :reference, :refund_code, :amount, :currency, :body_sha256,
    :host, :process, {now},
    {now} + CAST(:deadline_at AS BIGINT) - CAST(:created_at AS BIGINT), :state
) ON CONFLICT DO NOTHING";

/// Marks an entry as replaced by `:superseded_by`, if it still has that version.
pub const SUPERSEDE: &str = "\
UPDATE payments_journal
SET superseded_by = :superseded_by, version = version + 1
WHERE id = :id AND version = :version";

/// Stores the state of an entry and what belongs to it, if it still has that
/// version. Takes the members of the entry.
pub const UPDATE: &str = "\
UPDATE payments_journal
SET state = :state, decided_by = :decided_by, hash = :hash, uid = :uid, kind = :kind,
    code = :code, note = :note, conflict = :conflict, ended_at = {now}, version = version + 1
WHERE id = :id AND version = :version";

/// Lets what a failed entry had superseded be superseded by what superseded that
/// entry, or by nothing. Follows [`UPDATE`] in its transaction if the entry is
/// `failed`, until it changes no row: another transaction may have changed one
/// meanwhile. Takes the members of the entry.
pub const REINSTATE: &str = "\
UPDATE payments_journal
SET superseded_by = (SELECT superseded_by FROM payments_journal WHERE id = :id),
    version = version + 1
WHERE scope = :scope AND reference = :reference AND superseded_by = :id";

/// Reads the time, `now`.
pub const NOW: &str = "SELECT {now} AS now";

/// Reads entries. Takes the members of the filter; `:is_open` is 0 or 1.
pub const FIND: &str = "\
SELECT * FROM payments_journal
WHERE scope = :scope
    AND (CAST(:id AS TEXT) IS NULL OR id = :id)
    AND (CAST(:reference AS TEXT) IS NULL OR reference = :reference)
    AND (CAST(:is_open AS INTEGER) = 0
        OR (state IN ('in_progress', 'unknown') AND superseded_by IS NULL))
    AND (CAST(:after AS TEXT) IS NULL OR id > :after)
ORDER BY id LIMIT :limit";

/// Deletes the entries of a scope that are not open and older than `:age_ms`,
/// both now and when the newest entry that is `done` was written: a clock that is
/// wrong once deletes nothing too early.
pub const PRUNE: &str = "\
DELETE FROM payments_journal
WHERE scope = :scope AND created_at < {now} - CAST(:age_ms AS BIGINT)
    AND created_at < (
        SELECT MAX(created_at) FROM payments_journal WHERE scope = :scope AND state = 'done'
    ) - CAST(:age_ms AS BIGINT)
    AND NOT (state IN ('in_progress', 'unknown') AND superseded_by IS NULL)";

/// All statements, by their names.
pub const STATEMENTS: [(&str, &str); 8] = [
    ("SCHEMA", SCHEMA),
    ("INSERT", INSERT),
    ("SUPERSEDE", SUPERSEDE),
    ("UPDATE", UPDATE),
    ("REINSTATE", REINSTATE),
    ("NOW", NOW),
    ("FIND", FIND),
    ("PRUNE", PRUNE),
];
