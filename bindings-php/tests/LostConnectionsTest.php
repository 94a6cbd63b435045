<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Exception\JournalException;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\UsesDatabases;
use Libpayments\Tests\Support\WatchedJournal;
use PHPUnit\Framework\TestCase;

/**
 * A journal in PostgreSQL whose connections are terminated.
 */
final class LostConnectionsTest extends TestCase
{
    use UsesDatabases;

    private const APPLICATION = 'payments-lost';

    /** @return iterable<string, array{bool}> */
    public static function connections(): iterable
    {
        yield 'new ones' => [false];
        yield 'persistent ones' => [true];
    }

    /** @dataProvider connections */
    public function testNoCallThatEndedStaysInProgress(bool $persistent): void
    {
        self::$sandbox->call('POST', '/sandbox/settings', ['latency_ms' => 20]);
        $client = $this->client($this->lost($persistent));
        $end = $this->folder->file('end');
        $terminate = __DIR__ . '/fixtures/terminate.php';
        $process = new Php([PHP_BINARY, $terminate, $this->dsn('pgsql'), self::APPLICATION, $end]);
        $paid = [];
        for ($number = 0; $number < 60; $number++) {
            try {
                $client->createPayout($this->payout("p-$number"));
                $paid[] = "p-$number";
            } catch (JournalException $refused) {
                self::assertSame('not_executed', $refused->getOutcome());
            }
        }
        touch($end);
        self::assertGreaterThan(0, (int) $process->end());
        $done = "SELECT reference FROM payments_journal WHERE state = 'done' ORDER BY id";
        self::assertSame($paid, $this->column('pgsql', $done));
        self::assertCount(count($paid), self::$sandbox->requests('create_payout'));
        $open = "SELECT reference FROM payments_journal WHERE state NOT IN ('done', 'failed')";
        self::assertSame([], $this->column('pgsql', $open));
    }

    /** @dataProvider actions */
    public function testAConnectionLostBetweenTwoActionsIsOpenedAgain(string $lost): void
    {
        $administrator = $this->connect('pgsql');
        $all = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?';
        $terminated = [];
        $before = static function (string $action) use ($lost, $administrator, $all, &$terminated): void {
            if ($action === $lost) {
                $terminate = $administrator->prepare($all);
                $terminate->execute([self::APPLICATION]);
                $terminated += $terminate->fetchAll();
            }
        };
        $events = [];
        $observer = static function (array $event) use (&$events): void {
            $events[] = $event['event'];
        };
        $client = $this->client(new WatchedJournal($this->lost(true), $before), $observer);
        $client->createPayout($this->payout('p-1'));
        $client->createPayout($this->payout('p-2'));
        self::assertNotSame([], $terminated);
        self::assertNotContains('journal_failed', $events);
        self::assertSame(['done', 'done'], $this->column('pgsql', 'SELECT state FROM payments_journal'));
    }

    /** @return iterable<string, array{string}> */
    public static function actions(): iterable
    {
        yield 'before the entry is written' => ['insert'];
        yield 'before others are read' => ['find'];
        yield 'before the end is recorded' => ['update'];
    }

    private function lost(bool $persistent): PdoJournal
    {
        $dsn = $this->dsn('pgsql') . ';application_name=' . self::APPLICATION;
        $options = [\PDO::ATTR_PERSISTENT => $persistent];
        $journal = new PdoJournal(static fn (): \PDO => new \PDO($dsn, null, null, $options));
        $journal->create();
        return $journal;
    }
}
