# Generated from the core's tables; do not edit. To update: cargo xtask generate
"""The statements of a journal in a database."""

NOW_SQLITE = """
CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
"""

NOW_POSTGRESQL = """
CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)
"""

SCHEMA = """
CREATE TABLE payments_journal (
    id TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    scope TEXT NOT NULL,
    operation TEXT NOT NULL,
    reference TEXT NOT NULL,
    refund_code TEXT,
    amount TEXT,
    currency TEXT,
    body_sha256 TEXT NOT NULL,
    host TEXT NOT NULL,
    process TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    deadline_at BIGINT NOT NULL,
    ended_at BIGINT,
    state TEXT NOT NULL CHECK (state IN ('in_progress', 'done', 'failed', 'unknown')),
    decided_by TEXT CHECK (decided_by IN ('call', 'recovery', 'person')),
    hash TEXT,
    uid TEXT,
    kind TEXT,
    code TEXT,
    note TEXT,
    conflict TEXT,
    superseded_by TEXT
);
CREATE UNIQUE INDEX payments_journal_reference
    ON payments_journal (scope, operation, reference)
    WHERE operation <> 'refund_payment' AND state <> 'failed' AND superseded_by IS NULL;
CREATE UNIQUE INDEX payments_journal_open_refund
    ON payments_journal (scope, reference)
    WHERE operation = 'refund_payment' AND state IN ('in_progress', 'unknown')
        AND superseded_by IS NULL;
CREATE UNIQUE INDEX payments_journal_refund_code
    ON payments_journal (scope, reference, refund_code)
    WHERE operation = 'refund_payment' AND refund_code IS NOT NULL AND state <> 'failed'
        AND superseded_by IS NULL;
CREATE UNIQUE INDEX payments_journal_full_refund
    ON payments_journal (scope, reference)
    WHERE operation = 'refund_payment' AND amount IS NULL AND state <> 'failed'
        AND superseded_by IS NULL;
CREATE INDEX payments_journal_open
    ON payments_journal (scope, id)
    WHERE state IN ('in_progress', 'unknown') AND superseded_by IS NULL;
CREATE INDEX payments_journal_lookup ON payments_journal (scope, reference);
"""

INSERT = """
INSERT INTO payments_journal (
    id, version, scope, operation, reference, refund_code, amount, currency, body_sha256, host,
    process, created_at, deadline_at, state
) VALUES (
    :id, :version, :scope, :operation, :reference, :refund_code, :amount, :currency, :body_sha256,
    :host, :process, {now},
    {now} + CAST(:deadline_at AS BIGINT) - CAST(:created_at AS BIGINT), :state
) ON CONFLICT DO NOTHING
"""

SUPERSEDE = """
UPDATE payments_journal
SET superseded_by = :superseded_by, version = version + 1
WHERE id = :id AND version = :version
"""

UPDATE = """
UPDATE payments_journal
SET state = :state, decided_by = :decided_by, hash = :hash, uid = :uid, kind = :kind,
    code = :code, note = :note, conflict = :conflict, ended_at = {now}, version = version + 1
WHERE id = :id AND version = :version
"""

REINSTATE = """
UPDATE payments_journal
SET superseded_by = (SELECT superseded_by FROM payments_journal WHERE id = :id),
    version = version + 1
WHERE scope = :scope AND reference = :reference AND superseded_by = :id
"""

NOW = """
SELECT {now} AS now
"""

FIND = """
SELECT * FROM payments_journal
WHERE scope = :scope
    AND (CAST(:id AS TEXT) IS NULL OR id = :id)
    AND (CAST(:reference AS TEXT) IS NULL OR reference = :reference)
    AND (CAST(:is_open AS INTEGER) = 0
        OR (state IN ('in_progress', 'unknown') AND superseded_by IS NULL))
    AND (CAST(:after AS TEXT) IS NULL OR id > :after)
ORDER BY id LIMIT :limit
"""

PRUNE = """
DELETE FROM payments_journal
WHERE scope = :scope AND created_at < {now} - CAST(:age_ms AS BIGINT)
    AND created_at < (
        SELECT MAX(created_at) FROM payments_journal WHERE scope = :scope AND state = 'done'
    ) - CAST(:age_ms AS BIGINT)
    AND NOT (state IN ('in_progress', 'unknown') AND superseded_by IS NULL)
"""
