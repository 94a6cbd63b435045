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
