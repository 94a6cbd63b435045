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
        $own = $driver === 'sqlite' ? 'sqlite' : 'pgsql';
        self::assertSame(['done'], $this->column($own, 'SELECT state FROM payments_journal'));
        self::assertSame('done', $client->journal()->show('p-1')[0]->state);
        $this->connect($own)->exec('DROP TABLE payments_journal');
        $client = $this->client(new PdoJournal(static fn (): \PDO => $pdo));
        $this->failure(fn () => $client->createPayout($this->payout('p-2')));
        self::assertCount(1, self::$sandbox->requests('create_payout'));
        $pdo->exec('DROP TABLE payments_journal');
    }

    public function testWithoutASchemaNoTemporaryTableIsMade(): void
    {
        foreach (['', '""', 'nowhere'] as $path) {
            $pdo = new \PDO($this->dsn('pgsql') . ";options='-c search_path=$path'");
            $journal = new PdoJournal(static fn (): \PDO => $pdo);
            try {
                $journal->create();
                self::fail('there is no schema to make it in');
            } catch (JournalUnavailable $error) {
                self::assertStringContainsString('(SQLSTATE 42501)', $error->getMessage());
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
}
