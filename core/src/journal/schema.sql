CREATE TABLE payments_journal (
    id TEXT{collate} NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    scope TEXT{collate} NOT NULL,
    operation TEXT{collate} NOT NULL,
    reference TEXT{collate} NOT NULL,
    refund_code TEXT{collate},
    amount TEXT{collate},
    currency TEXT{collate},
    body_sha256 TEXT{collate} NOT NULL,
    host TEXT{collate} NOT NULL,
    process TEXT{collate} NOT NULL,
    created_at BIGINT NOT NULL,
    deadline_at BIGINT NOT NULL,
    settles_at BIGINT NOT NULL,
    ended_at BIGINT,
    state TEXT{collate} NOT NULL CHECK (state IN ('in_progress', 'done', 'failed', 'unknown')),
    decided_by TEXT{collate} CHECK (decided_by IN ('call', 'recovery', 'person')),
    hash TEXT{collate},
    uid TEXT{collate},
    kind TEXT{collate},
    code TEXT{collate},
    note TEXT{collate},
    rival TEXT{collate}
);
CREATE UNIQUE INDEX payments_journal_reference
    ON payments_journal (scope, operation, reference)
    WHERE operation <> 'refund_payment' AND state <> 'failed';
CREATE UNIQUE INDEX payments_journal_open_refund
    ON payments_journal (scope, reference)
    WHERE operation = 'refund_payment' AND state IN ('in_progress', 'unknown');
CREATE UNIQUE INDEX payments_journal_refund_code
    ON payments_journal (scope, reference, refund_code)
    WHERE operation = 'refund_payment' AND refund_code IS NOT NULL AND state <> 'failed';
CREATE UNIQUE INDEX payments_journal_full_refund
    ON payments_journal (scope, reference)
    WHERE operation = 'refund_payment' AND amount IS NULL AND state <> 'failed';
CREATE INDEX payments_journal_open
    ON payments_journal (scope, id)
    WHERE state IN ('in_progress', 'unknown') OR rival IS NOT NULL;
CREATE INDEX payments_journal_lookup ON payments_journal (scope, reference, id);
