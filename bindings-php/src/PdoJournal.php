<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\JournalSql;
use Libpayments\Internal\Secret;

/**
 * A journal in a database, through PDO: PostgreSQL for several hosts, or SQLite
 * for the processes of one host.
 *
 * Each action opens a connection of its own, commits one transaction, and
 * closes the connection. So no transaction of the application contains an
 * entry, and a forked child inherits no connection.
 */
final class PdoJournal implements Journal
{
    // The function may have the password of the database.
    use Secret;

    /** The application_id of the file of a `file:` journal. */
    private const FILE_JOURNAL = 0x5041594A;

    /** How long `create()` waits for locks. */
    private const CREATE_WITHIN_MS = 30_000;

    private const NO_TABLE = 'the database has no table payments_journal; make it once with PdoJournal::create()';

    private const IN_TRANSACTION = 'the connection is in a transaction; open a new connection for the journal';

    private const IS_FILE_JOURNAL = 'the database is the file of a journal; name it as file:PATH in the member '
        . '"journal" of the configuration, since two SQLite libraries must not open it in one process';

    /**
     * A statement_timeout would end the wait of COMMIT for a standby, as if that
     * had the entry.
     */
    private const BEGIN = <<<'SQL'
        BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
        SELECT set_config('lock_timeout', '%d', true), set_config('statement_timeout', '0', true),
            set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
        SQL;

    private \Closure $connect;

    /** @param callable(): \PDO $connect opens a new connection, never one that the application uses */
    public function __construct(callable $connect)
    {
        $this->connect = \Closure::fromCallable($connect);
    }

    /**
     * Makes the table `payments_journal` and its indexes. Do this once, when
     * you deploy.
     *
     * @throws JournalUnavailable
     */
    public function create(): void
    {
        $this->transact(self::CREATE_WITHIN_MS, static fn (\PDO $pdo): mixed => $pdo->exec(JournalSql::SCHEMA));
    }

    public function insert(array $entry, array $superseded, CallContext $context): bool
    {
        return $this->transact($context->remainingMs(), static function (\PDO $pdo) use ($entry, $superseded): bool {
            foreach ($superseded as $earlier) {
                $marked = ['superseded_by' => $entry['id']] + $earlier;
                if (self::run($pdo, JournalSql::SUPERSEDE, $marked)->rowCount() === 0) {
                    return false;
                }
            }
            return self::run($pdo, JournalSql::INSERT, $entry)->rowCount() > 0;
        });
    }

    public function update(array $entry, CallContext $context): bool
    {
        return $this->transact($context->remainingMs(), static function (\PDO $pdo) use ($entry): bool {
            if (self::run($pdo, JournalSql::UPDATE, $entry)->rowCount() === 0) {
                return false;
            }
            while ($entry['state'] === 'failed' && self::run($pdo, JournalSql::REINSTATE, $entry)->rowCount() > 0) {
                // Another transaction may have changed one of them meanwhile.
            }
            return true;
        });
    }

    public function find(array $filter, CallContext $context): array
    {
        return $this->transact($context->remainingMs(), static fn (\PDO $pdo): array => [
            'now' => self::run($pdo, JournalSql::NOW)->fetchColumn(),
            'entries' => self::run($pdo, JournalSql::FIND, $filter)->fetchAll(\PDO::FETCH_ASSOC),
        ]);
    }

    public function prune(string $scope, int $ageMs, CallContext $context): int
    {
        return $this->transact($context->remainingMs(), static function (\PDO $pdo) use ($scope, $ageMs): int {
            return self::run($pdo, JournalSql::PRUNE, ['scope' => $scope, 'age_ms' => $ageMs])->rowCount();
        });
    }

    /**
     * Runs `$act` in a transaction, on a connection of its own. False rolls back.
     *
     * @template T
     * @param \Closure(\PDO): T $act
     * @return T
     * @throws JournalUnavailable
     */
    private function transact(int $waitMs, \Closure $act): mixed
    {
        // PostgreSQL takes 0 for no limit.
        $waitMs = max(1, $waitMs);
        $pdo = null;
        try {
            $pdo = $this->open($waitMs);
            $pdo->exec(self::isPostgres($pdo) ? sprintf(self::BEGIN, $waitMs) : 'BEGIN IMMEDIATE');
            $result = $act($pdo);
            $pdo->exec($result === false ? 'ROLLBACK' : 'COMMIT');
            return $result;
        } catch (\Throwable $error) {
            try {
                $pdo?->exec('ROLLBACK');
            } catch (\PDOException) {
                // It did not begin, or ended with the connection.
            }
            throw $error instanceof \PDOException ? self::unavailable($error) : $error;
        }
    }

    /** A connection that is in no transaction. */
    private function open(int $waitMs): \PDO
    {
        $pdo = ($this->connect)();
        if (!$pdo instanceof \PDO) {
            throw new JournalUnavailable('the function must return a new PDO, not ' . get_debug_type($pdo));
        }
        $pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
        $pdo->setAttribute(\PDO::ATTR_STRINGIFY_FETCHES, false);
        $pdo->setAttribute(\PDO::ATTR_ORACLE_NULLS, \PDO::NULL_NATURAL);
        $pdo->setAttribute(\PDO::ATTR_CASE, \PDO::CASE_NATURAL);
        if ($pdo->inTransaction()) {
            throw new JournalUnavailable(self::IN_TRANSACTION);
        }
        $driver = $pdo->getAttribute(\PDO::ATTR_DRIVER_NAME);
        if ($driver === 'sqlite') {
            $pdo->exec("PRAGMA busy_timeout = $waitMs");
            if ($pdo->query('PRAGMA application_id')->fetchColumn() === self::FILE_JOURNAL) {
                throw new JournalUnavailable(self::IS_FILE_JOURNAL);
            }
            // As FULL, and syncs the folder too when a rollback journal is removed.
            $pdo->exec('PRAGMA synchronous = EXTRA');
        } elseif (!self::isPostgres($pdo)) {
            throw new JournalUnavailable("PdoJournal works with the drivers pgsql and sqlite, not with $driver");
        }
        return $pdo;
    }

    /** @param array<string, string|int|bool|null> $values by the names of the parameters; it may have others */
    private static function run(\PDO $pdo, string $sql, array $values = []): \PDOStatement
    {
        $clock = self::isPostgres($pdo) ? JournalSql::NOW_POSTGRESQL : JournalSql::NOW_SQLITE;
        $statement = $pdo->prepare(strtr($sql, ['{now}' => $clock]));
        preg_match_all('/:(\w+)/', $sql, $named);
        foreach (array_unique($named[1]) as $name) {
            $value = $values[$name];
            $statement->bindValue($name, is_bool($value) ? (int) $value : $value, match (true) {
                $value === null => \PDO::PARAM_NULL,
                is_string($value) => \PDO::PARAM_STR,
                default => \PDO::PARAM_INT,
            });
        }
        $statement->execute();
        return $statement;
    }

    private static function isPostgres(\PDO $pdo): bool
    {
        return $pdo->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'pgsql';
    }

    /** Leaves out the message, which may contain values. */
    private static function unavailable(\PDOException $error): JournalUnavailable
    {
        [$state, $code] = ($error->errorInfo ?? []) + [$error->getCode(), null];
        return new JournalUnavailable(match (true) {
            $state === '42P01', str_contains($error->getMessage(), 'no such table') => self::NO_TABLE,
            str_contains($error->getMessage(), 'inside a transaction') => self::IN_TRANSACTION,
            default => "could not use the database (SQLSTATE[$state] $code)",
        }, 0, $error);
    }
}
