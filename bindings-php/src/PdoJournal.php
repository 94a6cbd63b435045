<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\JournalSql;
use Libpayments\Internal\Secret;

/**
 * A journal in a database, through PDO: PostgreSQL for several hosts, or SQLite
 * for the processes of one host.
 *
 * Each action opens a new connection, commits one transaction, and closes the
 * connection. So no transaction of the application contains an entry, and a
 * forked child inherits no connection. The first action checks that the table
 * has the columns and indexes that it needs.
 */
final class PdoJournal implements Journal
{
    use Secret;

    /** The application_id of the file of a `file:` journal. */
    private const FILE_JOURNAL = 0x5041594A;

    /** How long `create()` and `upgrade()` wait for locks. */
    private const CREATE_WITHIN_MS = 30_000;

    private const REMEDIES = [
        'create' => 'make it with PdoJournal::create() or `payments journal create`',
        'upgrade' => 'call PdoJournal::upgrade(), or run `payments journal upgrade`, which keeps every entry, '
            . 'or run in one transaction: ',
        'repair' => 'repair it, and keep its rows',
    ];

    private const EXISTS = 'the database already has a table payments_journal; nothing was changed';

    private const IN_TRANSACTION = 'the connection is in a transaction; open a new connection for the journal';

    private const IS_FILE_JOURNAL = 'the database is the file of a journal; name it as file:PATH in the member '
        . '"journal" of the configuration, since two SQLite libraries must not open it in one process';

    private const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;';

    private const UNREPLICATED = 'the database committed, and its standby may lack the change';

    private const UNSEEN = 'the database has a synchronous standby, and its user may not see whether that has a '
        . 'change, of which PDO shows no warning; GRANT pg_read_all_stats to that user';

    private const REPLICATED_AGAIN_AFTER_US = 2_000;

    /** A closure, which may have captured the password of the database. */
    private Hidden $connect;

    /** The process that checked the table. */
    private ?int $checkedBy = null;

    /**
     * @param callable(int): \PDO $connect opens a new connection, never one that the application uses. It gets the
     *     seconds that it may take, for \PDO::ATTR_TIMEOUT: PDO ignores a connect_timeout in the DSN of PostgreSQL
     */
    public function __construct(#[\SensitiveParameter] callable $connect)
    {
        $this->connect = new Hidden(\Closure::fromCallable($connect));
    }

    /**
     * Makes the table `payments_journal` and its indexes. Do this once, when
     * you deploy.
     *
     * @throws JournalUnavailable
     */
    public function create(): void
    {
        $make = static fn (\PDO $pdo): mixed => $pdo->exec(strtr(JournalSql::SCHEMA, self::dialect($pdo)));
        $this->transact(self::CREATE_WITHIN_MS, $make);
    }

    /**
     * Gives a table of an earlier version the format of this one, and keeps every
     * entry.
     *
     * @throws JournalUnavailable
     */
    public function upgrade(): void
    {
        $this->transact(self::CREATE_WITHIN_MS, static function (\PDO $pdo): void {
            if ((self::problem($pdo)['remedy'] ?? '') === 'upgrade') {
                $pdo->exec(strtr(JournalSql::UPGRADE, self::dialect($pdo)));
            }
            self::check($pdo);
        });
    }

    public function insert(array $entry, CallContext $context): bool
    {
        return $this->act($context, static function (\PDO $pdo) use ($entry): bool {
            return self::run($pdo, JournalSql::INSERT, $entry)->rowCount() > 0;
        });
    }

    public function update(array $entry, CallContext $context): array
    {
        try {
            return $this->act($context, static fn (\PDO $pdo): array => [
                'changed' => self::run($pdo, JournalSql::UPDATE, $entry)->rowCount() > 0,
                'taken_by' => null,
            ]);
        } catch (JournalUnavailable $error) {
            if (!self::isOfUniqueIndex($error->getPrevious())) {
                throw $error;
            }
        }
        return $this->act($context, static fn (\PDO $pdo): array => [
            'changed' => false,
            'taken_by' => self::run($pdo, JournalSql::TAKEN_BY, $entry)->fetchColumn() ?: null,
        ]);
    }

    public function find(array $filter, CallContext $context): array
    {
        $sql = match (true) {
            $filter['id'] !== null => JournalSql::FIND_ID,
            $filter['reference'] !== null, $filter['hash'] !== null => JournalSql::FIND_REFERENCE,
            $filter['is_open'] => JournalSql::FIND_OPEN,
            isset($filter['ended_from']) => JournalSql::FIND_ENDED,
            default => JournalSql::FIND,
        };
        $filter['after'] ??= '';
        return $this->act($context, static fn (\PDO $pdo): array => [
            'now' => self::run($pdo, JournalSql::NOW)->fetchColumn(),
            'entries' => self::run($pdo, $sql, $filter)->fetchAll(\PDO::FETCH_ASSOC),
        ]);
    }

    public function count(string $scope, int $before, CallContext $context): array
    {
        return $this->act($context, static function (\PDO $pdo) use ($scope, $before): array {
            $values = ['scope' => $scope, 'before' => $before];
            return self::run($pdo, JournalSql::COUNT, $values)->fetch(\PDO::FETCH_ASSOC);
        });
    }

    public function prune(string $scope, int $before, int $limit, CallContext $context): int
    {
        return $this->act($context, static function (\PDO $pdo) use ($scope, $before, $limit): int {
            $values = ['scope' => $scope, 'before' => $before, 'limit' => $limit];
            return self::run($pdo, JournalSql::PRUNE, $values)->rowCount();
        });
    }

    /**
     * Runs `$act` in a transaction, once the table was checked.
     *
     * @template T
     * @param \Closure(\PDO): T $act
     * @return T
     * @throws JournalUnavailable
     */
    private function act(CallContext $context, \Closure $act): mixed
    {
        return $this->transact($context->remainingMs(), function (\PDO $pdo) use ($act): mixed {
            if ($this->checkedBy !== getmypid()) {
                self::check($pdo);
                $this->checkedBy = getmypid();
            }
            return $act($pdo);
        });
    }

    /**
     * Runs `$act` in a transaction, on a new connection.
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
        $until = hrtime(true) + $waitMs * 1_000_000;
        $pdo = null;
        $duringCommit = false;
        try {
            $pdo = $this->begin($waitMs);
            $result = $act($pdo);
            $isReplicated = self::isPostgres($pdo) && self::isReplicated($pdo);
            $duringCommit = self::isPostgres($pdo) ? true : null;
            $pdo->exec('COMMIT');
            if ($isReplicated) {
                self::awaitStandbys($pdo, $until);
            }
            return $result;
        } catch (\Throwable $error) {
            // Checking the table again may explain the failure.
            $this->checkedBy = null;
            try {
                $pdo?->exec('ROLLBACK');
            } catch (\PDOException) {
                // It did not begin, or ended with the connection.
            }
            throw $error instanceof \PDOException ? self::unavailable($error, $duringCommit) : $error;
        }
    }

    /**
     * Whether standbys must have what the transaction changed. Then COMMIT does not wait for them: a person can end
     * its wait, and PDO does not show the warning.
     *
     * @throws JournalUnavailable
     */
    private static function isReplicated(\PDO $pdo): bool
    {
        $found = self::run($pdo, JournalSql::WAITS_POSTGRESQL)->fetch(\PDO::FETCH_ASSOC);
        if ($found['waits'] && !$found['sees']) {
            throw self::refusal(self::UNSEEN);
        }
        return $found['waits'];
    }

    /**
     * Waits until the standbys have what was committed.
     *
     * @throws JournalUnavailable
     */
    private static function awaitStandbys(\PDO $pdo, int $until): void
    {
        $lsn = ['lsn' => self::run($pdo, JournalSql::FLUSHED_POSTGRESQL)->fetchColumn()];
        while (!self::run($pdo, JournalSql::REPLICATED_POSTGRESQL, $lsn)->fetchColumn()) {
            if (hrtime(true) >= $until) {
                throw new JournalUnavailable(self::UNREPLICATED, duringCommit: true);
            }
            usleep(self::REPLICATED_AGAIN_AFTER_US);
        }
    }

    /**
     * Refuses a table without the indexes that decide.
     *
     * @throws JournalUnavailable
     */
    private static function check(\PDO $pdo): void
    {
        $found = self::problem($pdo);
        if ($found === null) {
            return;
        }
        $statements = strtr(JournalSql::UPGRADE, self::dialect($pdo));
        $how = $found['remedy'] === 'upgrade' ? preg_replace('/\s+/', ' ', trim($statements)) : '';
        throw self::refusal("{$found['problem']}; " . self::REMEDIES[$found['remedy']] . $how);
    }

    /** @return ?array{problem: string, remedy: string} the problem of the table */
    private static function problem(\PDO $pdo): ?array
    {
        $check = self::isPostgres($pdo) ? JournalSql::CHECK_POSTGRESQL : JournalSql::CHECK_SQLITE;
        return self::run($pdo, $check)->fetch(\PDO::FETCH_ASSOC) ?: null;
    }

    /** A connection that is already in a transaction. */
    private function begin(int $waitMs): \PDO
    {
        $pdo = $this->open($waitMs);
        if (!self::isPostgres($pdo)) {
            $pdo->exec('BEGIN IMMEDIATE');
            return $pdo;
        }
        $begin = self::BEGIN . strtr(JournalSql::SETTINGS_POSTGRESQL, [':lock_timeout' => (string) $waitMs]);
        try {
            $pdo->exec($begin);
        } catch (\PDOException) {
            // A persistent connection that was lost while it was idle. PDO has noticed, and opens another one.
            $pdo = $this->open($waitMs);
            $pdo->exec($begin);
        }
        return $pdo;
    }

    /** A connection that is in no transaction. */
    private function open(int $waitMs): \PDO
    {
        $pdo = ($this->connect->value())((int) ceil($waitMs / 1000));
        if (!$pdo instanceof \PDO) {
            throw self::refusal('the function must return a new PDO, not ' . get_debug_type($pdo));
        }
        $pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
        $pdo->setAttribute(\PDO::ATTR_STRINGIFY_FETCHES, false);
        $pdo->setAttribute(\PDO::ATTR_ORACLE_NULLS, \PDO::NULL_NATURAL);
        $pdo->setAttribute(\PDO::ATTR_CASE, \PDO::CASE_NATURAL);
        if ($pdo->inTransaction()) {
            throw self::refusal(self::IN_TRANSACTION);
        }
        $driver = $pdo->getAttribute(\PDO::ATTR_DRIVER_NAME);
        if ($driver === 'sqlite') {
            $pdo->exec("PRAGMA busy_timeout = $waitMs");
            if ($pdo->query('PRAGMA application_id')->fetchColumn() === self::FILE_JOURNAL) {
                throw self::refusal(self::IS_FILE_JOURNAL);
            }
            // As FULL, and syncs the folder too when a rollback journal is removed.
            $pdo->exec('PRAGMA synchronous = EXTRA');
        } elseif (!self::isPostgres($pdo)) {
            throw self::refusal("PdoJournal works with the drivers pgsql and sqlite, not with $driver");
        }
        return $pdo;
    }

    /** @param array<string, string|int|null> $values by the names of the parameters; it may have others */
    private static function run(\PDO $pdo, string $sql, array $values = []): \PDOStatement
    {
        // A pooler may run the next statement on another connection, and a named one may be there already.
        $unnamed = self::isPostgres($pdo)
            ? [\PDO::PGSQL_ATTR_DISABLE_PREPARES => true, \PDO::ATTR_EMULATE_PREPARES => false]
            : [];
        $statement = $pdo->prepare(strtr($sql, self::dialect($pdo)), $unnamed);
        preg_match_all('/:(\w+)/', $sql, $named);
        foreach (array_unique($named[1]) as $name) {
            $value = $values[$name];
            $statement->bindValue($name, $value, match (true) {
                $value === null => \PDO::PARAM_NULL,
                is_string($value) => \PDO::PARAM_STR,
                default => \PDO::PARAM_INT,
            });
        }
        $statement->execute();
        return $statement;
    }

    /** @return array<string, string> what stands for the names in braces */
    private static function dialect(\PDO $pdo): array
    {
        return self::isPostgres($pdo) ? JournalSql::POSTGRESQL : JournalSql::SQLITE;
    }

    private static function isPostgres(\PDO $pdo): bool
    {
        return $pdo->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'pgsql';
    }

    private static function isOfUniqueIndex(?\Throwable $error): bool
    {
        return $error instanceof \PDOException
            && (($error->errorInfo[0] ?? null) === '23505'
                || str_contains($error->getMessage(), 'UNIQUE constraint failed'));
    }

    /** Leaves out the message, which may contain values. */
    private static function unavailable(\PDOException $error, ?bool $duringCommit): JournalUnavailable
    {
        preg_match('/^SQLSTATE\[(\w{5})\]/', $error->getMessage(), $shown);
        [$state, $code] = ($error->errorInfo ?? []) + [$shown[1] ?? $error->getCode(), null];
        return new JournalUnavailable(match (true) {
            $state === '42P07', str_contains($error->getMessage(), 'already exists') => self::EXISTS,
            str_contains($error->getMessage(), 'inside a transaction') => self::IN_TRANSACTION,
            default => 'could not use the database: ' . self::meaning((string) $state, $code),
        }, 0, $error, $duringCommit);
    }

    /** @param string|int|null $code that of the driver */
    private static function meaning(string $state, string|int|null $code): string
    {
        foreach ([5, 3, 2] as $length) {
            $meaning = JournalSql::FAILURES[substr($state, 0, $length)] ?? null;
            if ($meaning !== null) {
                return "$meaning (SQLSTATE $state)";
            }
        }
        return rtrim("SQLSTATE $state $code");
    }

    /** Nothing is stored. */
    private static function refusal(string $message): JournalUnavailable
    {
        return new JournalUnavailable($message, duringCommit: false);
    }
}
