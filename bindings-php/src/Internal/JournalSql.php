<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The statements of a journal in a database.
 *
 * @internal
 */
final class JournalSql
{
    public const NOW_SQLITE = <<<'SQL'
        CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
        SQL;

    public const NOW_POSTGRESQL = <<<'SQL'
        CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)
        SQL;

    public const SCHEMA = <<<'SQL'
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
        SQL;

    public const INSERT = <<<'SQL'
        INSERT INTO payments_journal (
            id, version, scope, operation, reference, refund_code, amount, currency, body_sha256, host,
            process, created_at, deadline_at, state
        ) VALUES (
            :id, :version, :scope, :operation, :reference, :refund_code, :amount, :currency, :body_sha256,
            :host, :process, {now},
            {now} + CAST(:deadline_at AS BIGINT) - CAST(:created_at AS BIGINT), :state
        ) ON CONFLICT DO NOTHING
        SQL;

    public const SUPERSEDE = <<<'SQL'
        UPDATE payments_journal
        SET superseded_by = :superseded_by, version = version + 1
        WHERE id = :id AND version = :version
        SQL;

    public const UPDATE = <<<'SQL'
        UPDATE payments_journal
        SET state = :state, decided_by = :decided_by, hash = :hash, uid = :uid, kind = :kind,
            code = :code, note = :note, conflict = :conflict, ended_at = {now}, version = version + 1
        WHERE id = :id AND version = :version
        SQL;

    public const REINSTATE = <<<'SQL'
        UPDATE payments_journal
        SET superseded_by = (SELECT superseded_by FROM payments_journal WHERE id = :id),
            version = version + 1
        WHERE scope = :scope AND reference = :reference AND superseded_by = :id
        SQL;

    public const NOW = <<<'SQL'
        SELECT {now} AS now
        SQL;

    public const FIND = <<<'SQL'
        SELECT * FROM payments_journal
        WHERE scope = :scope
            AND (CAST(:id AS TEXT) IS NULL OR id = :id)
            AND (CAST(:reference AS TEXT) IS NULL OR reference = :reference)
            AND (CAST(:is_open AS INTEGER) = 0
                OR (state IN ('in_progress', 'unknown') AND superseded_by IS NULL))
            AND (CAST(:after AS TEXT) IS NULL OR id > :after)
        ORDER BY id LIMIT :limit
        SQL;

    public const PRUNE = <<<'SQL'
        DELETE FROM payments_journal
        WHERE scope = :scope AND created_at < {now} - CAST(:age_ms AS BIGINT)
            AND created_at < (
                SELECT MAX(created_at) FROM payments_journal WHERE scope = :scope AND state = 'done'
            ) - CAST(:age_ms AS BIGINT)
            AND NOT (state IN ('in_progress', 'unknown') AND superseded_by IS NULL)
        SQL;
}
