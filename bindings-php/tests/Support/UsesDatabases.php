<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Client;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Journal;
use Libpayments\PdoJournal;

/**
 * For tests of journals in databases: a sandbox, PostgreSQL and SQLite, without
 * a journal before each test.
 */
trait UsesDatabases
{
    private static ?Sandbox $sandbox = null;
    private static ?PostgreSql $postgres = null;

    private Folder $folder;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
        // The adapter turns this on.
        self::$postgres = new PostgreSql('synchronous_commit=off');
    }

    public static function tearDownAfterClass(): void
    {
        self::$sandbox = self::$postgres = null;
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->folder = new Folder();
        $this->connect('pgsql')->exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    }

    /** @return iterable<string, array{string}> */
    public static function databases(): iterable
    {
        yield 'PostgreSQL' => ['pgsql'];
        yield 'PostgreSQL behind PgBouncer' => ['pooler'];
        yield 'SQLite' => ['sqlite'];
    }

    /** @param (callable(array<string, mixed>): mixed)|null $observer */
    private function client(Journal $journal, ?callable $observer = null): Client
    {
        return new Client(self::$sandbox->config(), observer: $observer, journal: $journal);
    }

    /** A journal whose table is there. */
    private function made(string $driver): PdoJournal
    {
        $journal = $this->journal($driver);
        $journal->create();
        return $journal;
    }

    private function journal(string $driver): PdoJournal
    {
        return new PdoJournal(fn (): \PDO => $this->connect($driver));
    }

    private function connect(string $driver): \PDO
    {
        return new \PDO($this->dsn($driver));
    }

    private function dsn(string $driver): string
    {
        return match ($driver) {
            'pgsql' => self::$postgres->dsn(),
            'pooler' => self::$postgres->poolerDsn(),
            'sqlite' => 'sqlite:' . $this->folder->file('journal.db'),
        };
    }

    /** @return list<string|int|null> */
    private function column(string $driver, string $sql): array
    {
        return $this->connect($driver)->query($sql)->fetchAll(\PDO::FETCH_COLUMN);
    }

    /** @param class-string<PaymentsException> $class */
    private function failure(\Closure $call, string $class = JournalException::class): PaymentsException
    {
        try {
            $call();
        } catch (PaymentsException $error) {
            self::assertInstanceOf($class, $error, $error->getMessage());
            return $error;
        }
        self::fail('it worked');
    }

    /** A payout that the service executes, and whose response is lost. */
    private function lose(Client $client, string $reference): void
    {
        self::$sandbox->fault('create_payout', ['fault' => 'close', 'execute' => true]);
        $this->failure(fn () => $client->createPayout($this->payout($reference)), PaymentsException::class);
    }

    /** @return array<string, mixed> */
    private function payout(string $reference): array
    {
        return Samples::payout($reference);
    }

    /** Asserts that `$found` has the members of `$expected`, at any depth. */
    private static function assertHas(mixed $expected, mixed $found, string $shown = ''): void
    {
        if (!is_array($expected)) {
            self::assertSame($expected, $found, $shown);
            return;
        }
        self::assertIsArray($found, $shown);
        if (array_is_list($expected)) {
            self::assertCount(count($expected), $found, $shown);
        }
        foreach ($expected as $name => $value) {
            self::assertArrayHasKey($name, $found, $shown);
            self::assertHas($value, $found[$name], $shown);
        }
    }
}
