<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Payer;
use Libpayments\Tests\Support\PostgreSql;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * A journal in a database: PostgreSQL and SQLite.
 */
final class PdoJournalTest extends TestCase
{
    use UsesDatabases;

    /** @dataProvider databases */
    public function testProcessesThatPayTheSameReferencePayOnce(string $driver): void
    {
        $this->made($driver);
        $config = $this->folder->file('config.json', (string) json_encode(self::$sandbox->config()));
        self::$sandbox->call('POST', '/sandbox/settings', ['latency_ms' => 100]);
        $payers = [];
        for ($payer = 0; $payer < 4; $payer++) {
            $payers[] = new Payer($config, 'order-1', ['TEST_JOURNAL' => $this->dsn($driver)]);
        }
        $ends = array_map(static fn (Payer $payer): array => $payer->end(), $payers);
        self::assertCount(1, array_column($ends, 'status'));
        $codes = array_column(array_column($ends, 'error'), 'code');
        self::assertCount(3, $codes);
        self::assertSame([], array_diff($codes, ['in_progress', 'already_done']));
        self::assertCount(1, self::$sandbox->requests('create_payment'));
    }

    /** @dataProvider databases */
    public function testAConnectionThatIsInATransactionIsRefused(string $driver): void
    {
        $this->made($driver);
        $begin = [
            static fn (\PDO $pdo): mixed => $pdo->beginTransaction(),
            static fn (\PDO $pdo): mixed => $pdo->exec('BEGIN'),
        ];
        foreach ($begin as $act) {
            $pdo = $this->connect($driver);
            $pdo->exec('CREATE TABLE IF NOT EXISTS seen (setting TEXT)');
            $act($pdo);
            $pdo->exec("INSERT INTO seen VALUES ('mine')");
            $client = $this->client(new PdoJournal(static fn (): \PDO => $pdo));
            $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
            self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
            self::assertStringContainsString('is in a transaction', $refused->getMessage());
            $pdo->exec('COMMIT');
        }
        self::assertSame(['mine', 'mine'], $this->column($driver, 'SELECT setting FROM seen'));
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    public function testAValueThatIsNotAConnectionIsNamed(): void
    {
        $client = $this->client(new PdoJournal(static fn (): string => 'pgsql:'));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertStringContainsString('must return a new PDO, not string', $refused->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    /** @dataProvider databases */
    public function testAConnectionMayHaveItsOwnAttributes(string $driver): void
    {
        $this->made($driver);
        $client = $this->client(new PdoJournal(function () use ($driver): \PDO {
            $pdo = $this->connect($driver);
            $pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_SILENT);
            $pdo->setAttribute(\PDO::ATTR_STRINGIFY_FETCHES, true);
            $pdo->setAttribute(\PDO::ATTR_CASE, \PDO::CASE_UPPER);
            $pdo->setAttribute(\PDO::ATTR_EMULATE_PREPARES, true);
            $driver === 'sqlite' || $pdo->setAttribute(\PDO::PGSQL_ATTR_DISABLE_PREPARES, false);
            return $pdo;
        }));
        $client->createPayout($this->payout('p-1'));
        self::assertSame('already_done', $this->failure(fn () => $client->createPayout($this->payout('p-1')))
            ->getErrorCode());
    }

    /** @dataProvider databases */
    public function testAWriteWaitsForALockUntilTheDeadlineOnly(string $driver): void
    {
        $this->made($driver);
        $holder = $this->connect($driver);
        $holder->exec($driver === 'sqlite' ? 'BEGIN EXCLUSIVE' : 'BEGIN; LOCK TABLE payments_journal');
        $client = $this->client($this->journal($driver));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1'), timeoutMs: 2000));
        self::assertFalse($refused->mayHaveBeenExecuted());
        $holder->exec('ROLLBACK');
        self::assertSame([], $this->column($driver, 'SELECT id FROM payments_journal'));
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    /** @return iterable<string, array{string}> */
    public static function leftBehind(): iterable
    {
        yield 'by pg_dump' => ["SELECT set_config('search_path', '', false)"];
        yield 'quoted names' => ['SET quote_all_identifiers = on'];
        yield 'read only' => ['SET default_transaction_read_only = on'];
        yield 'another encoding' => ["SET client_encoding = 'LATIN1'"];
        yield 'a hasty limit' => ["SET lock_timeout = '1ms'; SET idle_in_transaction_session_timeout = '1ms'"];
    }

    /** @dataProvider leftBehind */
    public function testSettingsThatAnotherProgramLeftDoNoHarm(string $left): void
    {
        $this->made('pgsql');
        $client = $this->client(new PdoJournal(function () use ($left): \PDO {
            $pdo = $this->connect('pgsql');
            $pdo->exec($left);
            return $pdo;
        }));
        $client->createPayout($this->payout('não-está-10-€'));
        self::assertSame('done', $client->journal()->show('não-está-10-€')[0]->state);
        self::assertSame(['não-está-10-€'], $this->column('pgsql', 'SELECT reference FROM payments_journal'));
    }

    public function testALockThatOutlastsACallHarmsNoOther(): void
    {
        $this->made('pgsql');
        $holder = $this->connect('pgsql');
        $holder->exec('BEGIN; LOCK TABLE payments_journal');
        $client = $this->client($this->journal('pooler'));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1'), timeoutMs: 1000));
        self::assertStringContainsString('kept a lock until the call ended (SQLSTATE 55P03)', $refused->getMessage());
        $holder->exec('ROLLBACK');
        foreach (['p-1', 'p-2', 'p-3'] as $reference) {
            $client->createPayout($this->payout($reference));
        }
        self::assertCount(3, self::$sandbox->requests('create_payout'));
    }

    public function testAConnectionIsOpenedWithinTheTimeOfTheCall(): void
    {
        $this->made('pgsql');
        $given = [];
        $client = $this->client(new PdoJournal(function (int $seconds) use (&$given): \PDO {
            $given[] = $seconds;
            return $this->connect('pgsql');
        }));
        $client->createPayout($this->payout('p-1'), timeoutMs: 6000);
        self::assertLessThanOrEqual(7, max($given));
        self::assertGreaterThanOrEqual(1, min($given));
    }

    public function testPostgreSqlCommitsToTheDiskWithAnyDefault(): void
    {
        $journal = $this->made('pgsql');
        $pdo = $this->connect('pgsql');
        $pdo->exec("CREATE TABLE seen (setting TEXT);
            CREATE OR REPLACE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
                INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END \$\$;
            CREATE TRIGGER look AFTER INSERT OR UPDATE ON payments_journal EXECUTE FUNCTION look()");
        $this->client($journal)->createPayout($this->payout('p-1'));
        foreach (['local', 'remote_apply'] as $setting) {
            $dsn = self::$postgres->dsn() . ";options='-c synchronous_commit=$setting'";
            $journal = new PdoJournal(static fn (): \PDO => new \PDO($dsn));
            $this->client($journal)->createPayout($this->payout("p-$setting"));
        }
        $seen = ['on', 'on', 'on', 'on', 'remote_apply', 'remote_apply'];
        self::assertSame($seen, $this->column('pgsql', 'SELECT setting FROM seen'));
    }

    public function testAPersistentConnectionIsOpenedOnce(): void
    {
        $dsn = self::$postgres->dsn() . ';application_name=payments';
        $journal = new PdoJournal(static fn (): \PDO => new \PDO($dsn, null, null, [\PDO::ATTR_PERSISTENT => true]));
        $journal->create();
        $count = "SELECT count(*), min(pid) FROM pg_stat_activity WHERE application_name = 'payments'";
        $before = $this->connect('pgsql')->query($count)->fetch();
        $this->client($journal)->createPayout($this->payout('p-1'));
        self::assertSame($before, $this->connect('pgsql')->query($count)->fetch());
        self::assertSame(1, $before['count']);
    }

    public function testSqliteSyncsTheFolderToo(): void
    {
        $this->made('sqlite');
        $pdo = $this->connect('sqlite');
        $pdo->exec('PRAGMA synchronous = OFF');
        $this->client(new PdoJournal(static fn (): \PDO => $pdo))->createPayout($this->payout('p-1'));
        self::assertSame(3, $pdo->query('PRAGMA synchronous')->fetchColumn());
    }

    public function testAServerThatIsDownPreventsSending(): void
    {
        $postgres = new PostgreSql();
        $dsn = $postgres->dsn();
        $journal = new PdoJournal(static fn (): \PDO => new \PDO($dsn));
        $journal->create();
        $stop = null;
        $events = [];
        $observer = static function (array $event) use (&$stop, &$events): void {
            $events[] = $event['event'];
            // The entry is written before the first attempt.
            $event['event'] === 'attempt' && $stop !== null && $stop();
        };
        $client = new Client(self::$sandbox->config(), observer: $observer, journal: $journal);
        $client->createPayout($this->payout('p-1'));
        $stop = static function () use (&$postgres): void {
            $postgres = null;
        };
        $paid = $client->createPayout($this->payout('p-2'), timeoutMs: 3000);
        self::assertNotSame('', $paid->uid(), 'its result stays');
        self::assertContains('journal_failed', $events);
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-3')));
        self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertStringContainsString(
            'the server cannot be reached, refuses the connection, or has closed it (SQLSTATE 08006)',
            $refused->getMessage()
        );
        self::assertCount(2, self::$sandbox->requests('create_payout'));
    }

    public function testTheFileOfAJournalIsRefused(): void
    {
        $path = $this->folder->file('journal/payments.db');
        Client::createJournal($path);
        $journal = new PdoJournal(static fn (): \PDO => new \PDO("sqlite:$path"));
        foreach ([$journal->create(...), fn () => $journal->prune('any', 0, 1, new CallContext(1000))] as $act) {
            try {
                $act();
                self::fail('another SQLite library has it');
            } catch (JournalUnavailable $error) {
                self::assertStringContainsString('file:PATH', $error->getMessage());
            }
        }
    }

    public function testTheExampleOfThePageWorks(): void
    {
        $page = (string) file_get_contents(Repository::root() . '/docs/getting-started/php.md');
        self::assertSame(1, preg_match('/^```php,excerpt\n(use [^`]*pgsql.*?)^```$/ms', $page, $found));
        $example = preg_replace("/'pgsql:[^']*'/", "'" . self::$postgres->dsn() . "'", $found[1], -1, $count);
        self::assertSame(1, $count);
        $config = self::$sandbox->config();
        $client = eval("$example\nreturn \$client;");
        $client->createPayout($this->payout('p-1'));
        self::assertCount(1, $client->journal()->show('p-1'));
    }
}
