<?php

// Generated from spec/journal.toml by generate/templates/JournalSql.php.jinja; do not edit.
// To update: cargo xtask generate
// phpcs:disable Generic.Files.LineLength

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The statements of a journal in a database.
 *
 * @internal
 */
final class JournalSql
{
    /** Replacements for the names in braces. */
    public const SQLITE = [
        '{table}' => 'main.payments_journal',
        '{collate}' => '',
        '{unless_there}' => '',
        '{now}' => 'CAST(ROUND((julianday(\'now\') - 2440587.5) * 86400000) AS INTEGER)',
    ];

    /** Replacements for the names in braces. */
    public const POSTGRESQL = [
        '{table}' => 'payments_journal',
        '{collate}' => ' COLLATE "C"',
        '{unless_there}' => ' IF NOT EXISTS',
        '{now}' => 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    ];

    /** The meanings of failures, by the SQLSTATE or by the beginning of it. */
    public const FAILURES = [
        '08' => 'the server cannot be reached, refuses the connection, or has closed it',
        '22' => 'it cannot store a text of the entry, as with another encoding than UTF8',
        '25006' => 'it only reads, as a standby does',
        '28' => 'it refuses the user or the password',
        '3D' => 'there is no such database',
        '40' => 'another transaction came first',
        '42501' => 'the user may not use the table payments_journal',
        '42P01' => 'there is no table payments_journal',
        '53' => 'the server lacks a resource, such as memory',
        '53100' => 'the disk of the server is full',
        '53300' => 'the server has no connection left; raise its limit, or use smaller pools',
        '55P03' => 'another transaction kept a lock until the call ended',
        '57014' => 'a person or a limit of time cancelled the statement',
        '57P' => 'the server is starting or stopping',
    ];

    public const SCHEMA = <<<'SQL'
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
            rival TEXT{collate},
            guard TEXT{collate},
            despite TEXT{collate},
            woken_at BIGINT
        );
        CREATE UNIQUE INDEX payments_journal_reference
            ON payments_journal (scope, operation, reference)
            WHERE operation NOT IN ('refund_payment', 'cancel_refund') AND state <> 'failed';
        CREATE UNIQUE INDEX payments_journal_open_refund
            ON payments_journal (scope, reference)
            WHERE operation = 'refund_payment' AND state IN ('in_progress', 'unknown');
        CREATE UNIQUE INDEX payments_journal_open_cancellation
            ON payments_journal (scope, reference)
            WHERE operation = 'cancel_refund' AND state IN ('in_progress', 'unknown');
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
        CREATE INDEX payments_journal_hash
            ON payments_journal (scope, hash)
            WHERE hash IS NOT NULL;
        CREATE INDEX payments_journal_uid
            ON payments_journal (scope, uid)
            WHERE uid IS NOT NULL;
        CREATE INDEX payments_journal_code
            ON payments_journal (scope, refund_code)
            WHERE refund_code IS NOT NULL;
        CREATE UNIQUE INDEX payments_journal_guard
            ON payments_journal (scope, guard)
            WHERE guard IS NOT NULL AND state <> 'failed';
        CREATE INDEX payments_journal_woken
            ON payments_journal (scope, woken_at)
            WHERE woken_at IS NOT NULL;
        SQL;

    public const UPGRADE = <<<'SQL'
        ALTER TABLE payments_journal ADD COLUMN{unless_there} guard TEXT{collate};
        ALTER TABLE payments_journal ADD COLUMN{unless_there} despite TEXT{collate};
        ALTER TABLE payments_journal ADD COLUMN{unless_there} woken_at BIGINT;
        DROP INDEX IF EXISTS payments_journal_reference;
        CREATE UNIQUE INDEX payments_journal_reference
            ON payments_journal (scope, operation, reference)
            WHERE operation NOT IN ('refund_payment', 'cancel_refund') AND state <> 'failed';
        DROP INDEX IF EXISTS payments_journal_open_cancellation;
        CREATE UNIQUE INDEX payments_journal_open_cancellation
            ON payments_journal (scope, reference)
            WHERE operation = 'cancel_refund' AND state IN ('in_progress', 'unknown');
        DROP INDEX IF EXISTS payments_journal_hash;
        CREATE INDEX payments_journal_hash
            ON payments_journal (scope, hash)
            WHERE hash IS NOT NULL;
        DROP INDEX IF EXISTS payments_journal_uid;
        CREATE INDEX payments_journal_uid
            ON payments_journal (scope, uid)
            WHERE uid IS NOT NULL;
        DROP INDEX IF EXISTS payments_journal_code;
        CREATE INDEX payments_journal_code
            ON payments_journal (scope, refund_code)
            WHERE refund_code IS NOT NULL;
        DROP INDEX IF EXISTS payments_journal_guard;
        CREATE UNIQUE INDEX payments_journal_guard
            ON payments_journal (scope, guard)
            WHERE guard IS NOT NULL AND state <> 'failed';
        DROP INDEX IF EXISTS payments_journal_woken;
        CREATE INDEX payments_journal_woken
            ON payments_journal (scope, woken_at)
            WHERE woken_at IS NOT NULL;
        SQL;

    public const CHECK_SQLITE = <<<'SQL'
        WITH wanted (name) AS (VALUES
                ('id'), ('version'), ('scope'), ('operation'), ('reference'), ('refund_code'), ('amount'),
                ('currency'), ('body_sha256'), ('host'), ('process'), ('created_at'), ('deadline_at'),
                ('settles_at'), ('ended_at'), ('state'), ('decided_by'), ('hash'), ('uid'), ('kind'),
                ('code'), ('note'), ('rival'), ('guard'), ('despite'), ('woken_at')),
            found AS (SELECT * FROM pragma_table_info('payments_journal', 'main')),
            definitions (text) AS (
                SELECT lower(replace(replace(replace(replace(replace(replace(replace(replace(
                    sql, ' ', ''), char(9), ''), char(10), ''), char(13), ''), '"', ''), '`', ''),
                    '(', ''), ')', ''))
                FROM main.sqlite_master WHERE type = 'index' AND tbl_name = 'payments_journal'),
            indexes (text) AS (
                SELECT substr(text, instr(text, 'onpayments_journal') + length('onpayments_journal'))
                FROM definitions WHERE text LIKE 'createuniqueindex%'),
            unique_on (text, shown) AS (VALUES
                ('scope,operation,referencewhereoperationnotin''refund_payment'',''cancel_refund''andstate<>''failed''',
                    'reference'),
                ('scope,referencewhereoperation=''refund_payment''andstatein''in_progress'',''unknown''',
                    'open_refund'),
                ('scope,referencewhereoperation=''cancel_refund''andstatein''in_progress'',''unknown''',
                    'open_cancellation'),
                ('scope,reference,refund_codewhereoperation=''refund_payment''andrefund_codeisnotnullandstate<>''failed''',
                    'refund_code'),
                ('scope,referencewhereoperation=''refund_payment''andamountisnullandstate<>''failed''',
                    'full_refund'),
                ('scope,guardwhereguardisnotnullandstate<>''failed''',
                    'guard'))
        SELECT problem, remedy FROM (
            SELECT 1 AS place, 'create' AS remedy, 'there is no table payments_journal' AS problem
            WHERE NOT EXISTS (SELECT 1 FROM found)
            UNION ALL
            SELECT 2, 'upgrade',
                'the table payments_journal has format 1, and this version of libpayments needs format 2'
            WHERE EXISTS (SELECT 1 FROM found) AND 'guard' NOT IN (SELECT name FROM found)
            UNION ALL
            SELECT 3, 'repair', 'the table payments_journal has no column ' || name
            FROM wanted WHERE name NOT IN (SELECT name FROM found)
            UNION ALL
            SELECT 4, 'repair',
                'the table payments_journal has a column ' || name || ' that must be given'
            FROM found WHERE "notnull" = 1 AND dflt_value IS NULL AND name NOT IN (SELECT name FROM wanted)
            UNION ALL
            SELECT 5, 'repair',
                'the table payments_journal lacks the unique index payments_journal_' || shown
            FROM unique_on WHERE text NOT IN (SELECT text FROM indexes)
        ) AS problems ORDER BY place, problem LIMIT 1
        SQL;

    public const CHECK_POSTGRESQL = <<<'SQL'
        WITH wanted (name) AS (VALUES
                ('id'), ('version'), ('scope'), ('operation'), ('reference'), ('refund_code'), ('amount'),
                ('currency'), ('body_sha256'), ('host'), ('process'), ('created_at'), ('deadline_at'),
                ('settles_at'), ('ended_at'), ('state'), ('decided_by'), ('hash'), ('uid'), ('kind'),
                ('code'), ('note'), ('rival'), ('guard'), ('despite'), ('woken_at')),
            journal AS (SELECT * FROM pg_catalog.pg_class WHERE oid = to_regclass('payments_journal')),
            found AS (
                SELECT CAST(attname AS TEXT) AS name, attnotnull, atthasdef
                FROM pg_catalog.pg_attribute, journal
                WHERE attrelid = journal.oid AND attnum > 0 AND NOT attisdropped),
            indexes (text) AS (
                SELECT regexp_replace(
                    replace(coalesce(substring(pg_get_indexdef(indexrelid) FROM ' USING btree (.*)$'), ''),
                        repeat(chr(58), 2) || 'text', ''),
                    '["() ]', '', 'g')
                FROM pg_catalog.pg_index, journal
                WHERE indrelid = journal.oid AND indisunique AND indisvalid AND indisready),
            unique_on (text, shown) AS (VALUES
                ('scope,operation,referenceWHEREoperation<>ALLARRAY[''refund_payment'',''cancel_refund'']ANDstate<>''failed''',
                    'reference'),
                ('scope,referenceWHEREoperation=''refund_payment''ANDstate=ANYARRAY[''in_progress'',''unknown'']',
                    'open_refund'),
                ('scope,referenceWHEREoperation=''cancel_refund''ANDstate=ANYARRAY[''in_progress'',''unknown'']',
                    'open_cancellation'),
                ('scope,reference,refund_codeWHEREoperation=''refund_payment''ANDrefund_codeISNOTNULLANDstate<>''failed''',
                    'refund_code'),
                ('scope,referenceWHEREoperation=''refund_payment''ANDamountISNULLANDstate<>''failed''',
                    'full_refund'),
                ('scope,guardWHEREguardISNOTNULLANDstate<>''failed''',
                    'guard'))
        SELECT problem, remedy FROM (
            SELECT 1 AS place, 'create' AS remedy, 'there is no table payments_journal' AS problem
            WHERE NOT EXISTS (SELECT 1 FROM journal)
            UNION ALL
            SELECT 2, 'repair', 'payments_journal is no table that survives a crash'
            FROM journal WHERE relkind <> 'r' OR relpersistence <> 'p'
            UNION ALL
            SELECT 3, 'upgrade',
                'the table payments_journal has format 1, and this version of libpayments needs format 2'
            WHERE EXISTS (SELECT 1 FROM journal) AND 'guard' NOT IN (SELECT name FROM found)
            UNION ALL
            SELECT 4, 'repair', 'the table payments_journal has no column ' || name
            FROM wanted WHERE EXISTS (SELECT 1 FROM journal) AND name NOT IN (SELECT name FROM found)
            UNION ALL
            SELECT 5, 'repair',
                'the table payments_journal has a column ' || name || ' that must be given'
            FROM found WHERE attnotnull AND NOT atthasdef AND name NOT IN (SELECT name FROM wanted)
            UNION ALL
            SELECT 6, 'repair',
                'the table payments_journal lacks the valid unique index payments_journal_' || shown
            FROM unique_on WHERE text NOT IN (SELECT text FROM indexes)
        ) AS problems ORDER BY place, problem LIMIT 1
        SQL;

    public const SETTINGS_POSTGRESQL = <<<'SQL'
        SELECT set_config('lock_timeout', CAST(:lock_timeout AS TEXT), true),
            set_config('statement_timeout', '0', true),
            set_config('idle_in_transaction_session_timeout', '0', true),
            set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
            set_config('client_encoding', 'UTF8', true),
            set_config('client_min_messages', 'warning', true),
            set_config('quote_all_identifiers', 'off', true),
            set_config('search_path', CASE WHEN current_schemas(false) = '{}'
                THEN (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'search_path')
                ELSE current_setting('search_path') END, true),
            set_config('search_path', CASE WHEN current_schemas(false) = '{}' THEN 'pg_catalog'
                ELSE current_setting('search_path') END || ', pg_temp', true)
        SQL;

    public const WAITS_POSTGRESQL = <<<'SQL'
        SELECT waits, sees, set_config('synchronous_commit', CASE WHEN waits AND sees THEN 'local'
                ELSE current_setting('synchronous_commit') END, true)
        FROM (SELECT txid_current_if_assigned() IS NOT NULL
                AND current_setting('synchronous_standby_names') <> '' AS waits,
            pg_has_role('pg_read_all_stats', 'USAGE') AS sees) AS found
        SQL;

    public const FLUSHED_POSTGRESQL = <<<'SQL'
        SELECT CAST(pg_current_wal_flush_lsn() AS TEXT) AS lsn
        SQL;

    public const REPLICATED_POSTGRESQL = <<<'SQL'
        SELECT count(*) >= coalesce(CAST(substring(current_setting('synchronous_standby_names')
                FROM '^ *(?:[A-Za-z]+ +)?([0-9]+) *[(]') AS INTEGER), 1) AS replicated
        FROM pg_catalog.pg_stat_replication
        WHERE sync_state IN ('sync', 'quorum') AND flush_lsn >= CAST(:lsn AS pg_lsn)
        SQL;

    public const INSERT = <<<'SQL'
        INSERT INTO {table} (
            id, version, scope, operation, reference, refund_code, amount, currency, body_sha256, host,
            process, created_at, deadline_at, settles_at, state, uid
        ) VALUES (
            :id, :version, :scope, :operation, :reference, :refund_code, :amount, :currency, :body_sha256,
            :host, :process, {now},
            {now} + CAST(:deadline_at AS BIGINT) - CAST(:created_at AS BIGINT),
            {now} + CAST(:settles_at AS BIGINT) - CAST(:created_at AS BIGINT), :state, :uid
        ) ON CONFLICT DO NOTHING
        SQL;

    public const UPDATE = <<<'SQL'
        UPDATE {table}
        SET state = :state, decided_by = :decided_by, hash = :hash, uid = :uid, kind = :kind,
            code = :code, note = :note, rival = :rival, ended_at = {now}, version = version + 1
        WHERE id = :id AND version = :version
        SQL;

    public const TAKEN_BY = <<<'SQL'
        SELECT other.id AS id
        FROM {table} AS entry
        JOIN {table} AS other ON other.scope = entry.scope AND other.operation = entry.operation
            AND other.reference = entry.reference AND other.id <> entry.id AND other.state <> 'failed'
        WHERE entry.id = :id AND entry.version = :version
            AND (entry.operation NOT IN ('refund_payment', 'cancel_refund')
                OR other.refund_code = entry.refund_code
                OR (other.amount IS NULL AND entry.amount IS NULL))
        ORDER BY other.id LIMIT 1
        SQL;

    public const NOW = <<<'SQL'
        SELECT {now} AS now
        SQL;

    public const FIND = <<<'SQL'
        SELECT * FROM {table}
        WHERE scope || '' = :scope AND id > :after
        ORDER BY id LIMIT :limit
        SQL;

    public const FIND_OPEN = <<<'SQL'
        SELECT * FROM {table}
        WHERE scope = :scope AND id > :after
            AND (state IN ('in_progress', 'unknown') OR rival IS NOT NULL)
        ORDER BY id LIMIT :limit
        SQL;

    public const FIND_ENDED = <<<'SQL'
        SELECT * FROM {table}
        WHERE scope || '' = :scope AND id > :after AND ended_at >= CAST(:ended_from AS BIGINT)
        ORDER BY id LIMIT :limit
        SQL;

    public const FIND_REFERENCE = <<<'SQL'
        SELECT * FROM (
            SELECT * FROM (
                SELECT * FROM {table}
                WHERE scope = :scope AND reference = :reference AND id > :after
                ORDER BY id LIMIT :limit
            ) AS of_reference
            UNION
            SELECT * FROM {table}
            WHERE scope = :scope AND hash = :hash AND id > :after
        ) AS found
        ORDER BY id LIMIT :limit
        SQL;

    public const FIND_ID = <<<'SQL'
        SELECT * FROM {table}
        WHERE scope = :scope AND id = :id AND id > :after
        ORDER BY id LIMIT :limit
        SQL;

    public const COUNT = <<<'SQL'
        SELECT {now} AS now,
            (SELECT MAX(created_at) FROM {table} WHERE scope = :scope) AS newest,
            COUNT(CASE WHEN state = 'done' AND rival IS NULL THEN 1 END) AS done,
            COUNT(CASE WHEN state = 'failed' AND rival IS NULL THEN 1 END) AS failed,
            COUNT(CASE WHEN state IN ('in_progress', 'unknown') OR rival IS NOT NULL THEN 1 END) AS open
        FROM {table} WHERE scope = :scope AND created_at < :before
        SQL;

    public const PRUNE = <<<'SQL'
        DELETE FROM {table} WHERE id IN (
            SELECT id FROM {table}
            WHERE scope = :scope AND created_at < :before
                AND state IN ('done', 'failed') AND rival IS NULL
            ORDER BY id LIMIT :limit
        )
        SQL;
}
