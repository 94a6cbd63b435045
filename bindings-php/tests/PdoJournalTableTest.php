<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * The table of a journal: without all that makes it safe, nothing is sent.
 */
final class PdoJournalTableTest extends TestCase
{
    use UsesDatabases;

    private const INDEXES = ['reference', 'open_refund', 'refund_code', 'full_refund'];

    /** @dataProvider problems */
    public function testATableThatIsNotSafeIsRefused(string $driver, string $sql, string $problem): void
    {
        $this->made($driver);
        $this->connect($driver)->exec($sql);
        $client = $this->client($this->journal($driver));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertInstanceOf(JournalUnavailable::class, $refused->getPrevious());
        self::assertStringContainsString("$problem; make the table with PdoJournal::create()", $refused->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function problems(): iterable
    {
        $table = 'the table payments_journal';
        $index = 'CREATE INDEX payments_journal_reference ON payments_journal (scope, operation, reference)';
        $drivers = ['pgsql' => 'lacks the valid unique index', 'sqlite' => 'lacks the unique index'];
        foreach ($drivers as $driver => $lacks) {
            foreach (self::INDEXES as $name) {
                $drop = "DROP INDEX payments_journal_$name";
                yield "$driver: no index $name" => [$driver, $drop, "$table $lacks payments_journal_$name"];
            }
            $all = [
                'an index that is not unique' => [
                    "DROP INDEX payments_journal_reference; $index",
                    "$table $lacks payments_journal_reference",
                ],
                'an index of other columns' => [
                    'DROP INDEX payments_journal_reference; CREATE UNIQUE INDEX payments_journal_reference '
                        . "ON payments_journal (scope, reference) WHERE state <> 'failed'",
                    "$table $lacks payments_journal_reference",
                ],
                'no table' => ['DROP TABLE payments_journal', 'there is no table payments_journal'],
                'format 1' => [
                    'ALTER TABLE payments_journal ADD COLUMN superseded_by TEXT',
                    "$table has format 1, and this version needs format 2",
                ],
                'no column' => [
                    'DROP INDEX payments_journal_open; ALTER TABLE payments_journal DROP COLUMN rival',
                    "$table has no column rival",
                ],
            ];
            foreach ($all as $name => [$sql, $problem]) {
                yield "$driver: $name" => [$driver, $sql, $problem];
            }
        }
        yield 'pgsql: a column that must be given' => [
            'pgsql',
            'ALTER TABLE payments_journal ADD COLUMN shop TEXT NOT NULL',
            "$table has a column shop that must be given",
        ];
        yield 'pgsql: an invalid index' => [
            'pgsql',
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'payments_journal_reference'::regclass",
            "$table lacks the valid unique index payments_journal_reference",
        ];
        $crash = 'payments_journal is no table that survives a crash';
        yield 'pgsql: an unlogged table' => ['pgsql', 'ALTER TABLE payments_journal SET UNLOGGED', $crash];
        yield 'pgsql: a view' => [
            'pgsql',
            'ALTER TABLE payments_journal RENAME TO old; CREATE VIEW payments_journal AS SELECT * FROM old',
            $crash,
        ];
    }

    /** @dataProvider databases */
    public function testATableThatWasRepairedIsUsed(string $driver): void
    {
        $journal = $this->journal($driver);
        $client = $this->client($journal);
        $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        $journal->create();
        self::assertNotSame('', $client->createPayout($this->payout('p-1'))->uid());
        $this->connect($driver)->exec('DROP TABLE payments_journal');
        $this->failure(fn () => $client->createPayout($this->payout('p-2')));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-2')));
        self::assertStringContainsString('there is no table payments_journal', $refused->getMessage());
    }

    /** @dataProvider databases */
    public function testATableMayHaveMore(string $driver): void
    {
        $journal = $this->made($driver);
        $this->connect($driver)->exec('ALTER TABLE payments_journal ADD COLUMN shop TEXT;
            CREATE INDEX by_shop ON payments_journal (shop)');
        $client = $this->client($journal);
        self::assertNotSame('', $client->createPayout($this->payout('p-1'))->uid());
        self::assertSame('done', $client->journal()->show('p-1')[0]->state);
    }

    /** @dataProvider databases */
    public function testATableIsMadeOnce(string $driver): void
    {
        $journal = $this->made($driver);
        $this->expectException(JournalUnavailable::class);
        $this->expectExceptionMessage('the database already has a table payments_journal; nothing was changed');
        $journal->create();
    }

    /** @dataProvider databases */
    public function testATemporaryTableOfTheSameNameIsNotUsed(string $driver): void
    {
        $this->made($driver);
        $pdo = new \PDO($this->dsn($driver), null, null, [\PDO::ATTR_PERSISTENT => true]);
        $pdo->exec('CREATE TEMPORARY TABLE payments_journal AS SELECT * FROM payments_journal');
        $client = $this->client(new PdoJournal(static fn (): \PDO => $pdo));
        $client->createPayout($this->payout('p-1'));
        self::assertSame(['done'], $this->column($driver, 'SELECT state FROM payments_journal'));
        self::assertSame('done', $client->journal()->show('p-1')[0]->state);
        $this->connect($driver)->exec('DROP TABLE payments_journal');
        $client = $this->client(new PdoJournal(static fn (): \PDO => $pdo));
        $this->failure(fn () => $client->createPayout($this->payout('p-2')));
        self::assertCount(1, self::$sandbox->requests('create_payout'));
    }

    public function testWithoutASchemaNoTemporaryTableIsMade(): void
    {
        foreach (['', '""', 'nowhere'] as $path) {
            $pdo = $this->connect('pgsql');
            $pdo->exec("SELECT set_config('search_path', '$path', false)");
            $journal = new PdoJournal(static fn (): \PDO => $pdo);
            try {
                $journal->create();
                self::fail('there is no schema to make it in');
            } catch (JournalUnavailable $error) {
                self::assertStringContainsString('SQLSTATE[42501]', $error->getMessage());
            }
            $refused = $this->failure(fn () => $this->client($journal)->createPayout($this->payout('p-1')));
            self::assertStringContainsString('there is no table payments_journal', $refused->getMessage());
        }
    }

    public function testATableInAnotherSchemaIsFoundByTheSearchPath(): void
    {
        $this->connect('pgsql')->exec('CREATE SCHEMA "the shop"');
        $dsn = $this->dsn('pgsql');
        $journal = new PdoJournal(static function () use ($dsn): \PDO {
            $pdo = new \PDO($dsn);
            $pdo->exec('SET search_path = "the shop", public');
            return $pdo;
        });
        $journal->create();
        $this->client($journal)->createPayout($this->payout('p-1'));
        self::assertSame(['done'], $this->column('pgsql', 'SELECT state FROM "the shop".payments_journal'));
    }

    public function testTextsAreComparedByteByByte(): void
    {
        $this->made('pgsql');
        $collations = 'SELECT DISTINCT collation_name FROM information_schema.columns '
            . "WHERE table_name = 'payments_journal' AND data_type = 'text'";
        self::assertSame(['C'], $this->column('pgsql', $collations));
    }
}
