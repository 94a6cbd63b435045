<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
use Libpayments\Journal\Entry;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Payer;
use Libpayments\Tests\Support\PostgreSql;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * A journal in a database: PostgreSQL and SQLite.
 */
final class PdoJournalTest extends TestCase
{
    use UsesDatabases;

    /** @dataProvider databases */
    public function testAReferenceIsPaidOnce(string $driver): void
    {
        $client = $this->client($this->made($driver));
        $uid = $client->createPayout($this->payout('p-1'))->uid();
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['already_done', 'executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertSame($uid, $refused->getJournalEntry()['uid'] ?? null);
        self::assertCount(1, self::$sandbox->requests('create_payout'));
        [$entry] = $client->journal()->show('p-1');
        self::assertSame([2, 'done', 'call', $uid, null, null], [
            $entry->version, $entry->state, $entry->decidedBy, $entry->uid, $entry->rival, $entry->needs,
        ]);
        self::assertLessThan(60, abs($entry->createdAt->getTimestamp() - time()), 'by the clock of the database');
        self::assertSame(900, $entry->settlesAt->getTimestamp() - $entry->deadlineAt->getTimestamp());
        self::assertEquals([$entry], iterator_to_array($client->journal()->list()));
        self::assertEquals([$entry], $client->journal()->show($entry->id));
        self::assertSame([], iterator_to_array($client->journal()->list(onlyOpen: true)));
        self::assertSame([], iterator_to_array($client->journal()->list(after: $entry->id)));
    }

    /** @dataProvider databases */
    public function testAPersonSettlesALostPayout(string $driver): void
    {
        $journal = $this->made($driver);
        $client = $this->client($journal);
        $this->lose($client, 'p-1');
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['unresolved', 'unknown'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertSame('time', $client->journal()->recover()->open[0]->needs);
        $this->connect($driver)->exec('UPDATE payments_journal SET settles_at = 0');
        self::assertSame('person', $client->journal()->recover()->open[0]->needs);
        $no = $client->journal()->resolve('p-1', executed: false, note: 'não está lá');
        self::assertSame(['failed', 'não está lá'], [$no->state, $no->note]);
        self::assertNotSame('', $client->createPayout($this->payout('p-1'))->uid());
        [$first, $second] = $client->journal()->show('p-1');
        self::assertSame(['failed', 'done'], [$first->state, $second->state]);

        // It was executed after all, and its reference is taken.
        $yes = $client->journal()->resolve($first->id, executed: true, note: 'listed');
        self::assertSame(['failed', $second->id, 'person'], [$yes->state, $yes->rival, $yes->needs]);
        self::assertEquals([$yes->id], array_map(
            static fn (Entry $entry): string => $entry->id,
            iterator_to_array($client->journal()->list(onlyOpen: true)),
        ));
        $settled = $client->journal()->resolve($first->id, executed: true, note: 'reversed');
        self::assertSame(['failed', null, null], [$settled->state, $settled->rival, $settled->needs]);
        self::assertSame([], $client->journal()->recover()->open);
    }

    /** @dataProvider databases */
    public function testALostPaymentIsRecoveredAndDeletedOnDemandOnly(string $driver): void
    {
        $client = $this->client($this->made($driver));
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $payment = Samples::payment(['merchant_payment_code' => 'order-1']);
        $this->failure(fn () => $client->createPayment($payment), PaymentsException::class);
        $recovered = $client->journal()->recover();
        self::assertSame([[], 'done', null], [
            $recovered->open, $recovered->recovered[0]->state, $recovered->recovered[0]->needs,
        ]);
        $this->lose($client, 'p-1');
        $counted = $client->journal()->prune('2100-01-31', dryRun: true);
        self::assertSame([true, 1, 0, 1], [$counted->dryRun, $counted->done, $counted->failed, $counted->open]);
        $tomorrow = new \DateTimeImmutable('tomorrow', new \DateTimeZone('America/Sao_Paulo'));
        $refused = $this->failure(fn () => $client->journal()->prune($tomorrow), ValidationException::class);
        self::assertSame(['recent', 'before'], [$refused->getErrorCode(), $refused->getPath()]);
        $pruned = $client->journal()->prune($tomorrow, recent: true);
        self::assertSame([false, 1, 0, 1], [$pruned->dryRun, $pruned->done, $pruned->failed, $pruned->open]);
        self::assertSame(['p-1'], $this->column($driver, 'SELECT reference FROM payments_journal'));
        $context = new CallContext(5000);
        $counted = $this->journal($driver)->count('another scope', 0, $context);
        self::assertSame([null, 0], [$counted['newest'], $counted['done']]);
    }

    /** @dataProvider databases */
    public function testProcessesThatPayTheSameAtOncePayOnce(string $driver): void
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
    public function testAnIndexRefusesAnEntryWhoseReferenceIsTaken(string $driver): void
    {
        $journal = $this->made($driver);
        $context = new CallContext(5000);
        [$first, $second] = [$this->entry('1'), $this->entry('2')];
        self::assertTrue($journal->insert($first, $context));
        self::assertFalse($journal->insert($second, $context));
        $no = ['state' => 'failed', 'decided_by' => 'person'] + $first;
        self::assertSame(['changed' => true, 'taken_by' => null], $journal->update($no, $context));
        self::assertTrue($journal->insert($second, $context));
        $done = ['state' => 'done', 'decided_by' => 'call', 'hash' => '5a', 'version' => 2] + $first;
        self::assertSame(['changed' => false, 'taken_by' => '2'], $journal->update($done, $context));
        $older = ['version' => 1] + $done;
        self::assertSame(['changed' => false, 'taken_by' => null], $journal->update($older, $context));
        $rival = ['state' => 'failed', 'rival' => '2'] + $done;
        self::assertSame(['changed' => true, 'taken_by' => null], $journal->update($rival, $context));
        ['entries' => [$stored]] = $journal->find($this->filter(['is_open' => true, 'limit' => 1]), $context);
        self::assertSame(['1', 3, 'failed', 'call', '5a', '2'], [
            $stored['id'], $stored['version'], $stored['state'], $stored['decided_by'], $stored['hash'],
            $stored['rival'],
        ]);
    }

    /** @dataProvider databases */
    public function testWhatItThrowsShowsNoValues(string $driver): void
    {
        $journal = $this->made($driver);
        try {
            $journal->insert(['state' => 'no state'] + $this->entry('1'), new CallContext(5000));
            self::fail('the table refuses it');
        } catch (JournalUnavailable $error) {
            self::assertInstanceOf(\PDOException::class, $error->getPrevious());
            self::assertStringNotContainsString('no state', $error->getMessage());
        }
        self::assertSame([], $this->column($driver, 'SELECT id FROM payments_journal'));
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

    public function testWhatIsNoConnectionIsNamed(): void
    {
        $client = $this->client(new PdoJournal(static fn (): string => 'pgsql:'));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertStringContainsString('must return a new PDO, not string', $refused->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    /** @dataProvider databases */
    public function testAConnectionMayHaveItsOwnWays(string $driver): void
    {
        $this->made($driver);
        $client = $this->client(new PdoJournal(function () use ($driver): \PDO {
            $pdo = $this->connect($driver);
            $pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_SILENT);
            $pdo->setAttribute(\PDO::ATTR_STRINGIFY_FETCHES, true);
            $pdo->setAttribute(\PDO::ATTR_CASE, \PDO::CASE_UPPER);
            $pdo->setAttribute(\PDO::ATTR_EMULATE_PREPARES, true);
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
        $holder->exec($driver === 'pgsql' ? 'BEGIN; LOCK TABLE payments_journal' : 'BEGIN EXCLUSIVE');
        $client = $this->client($this->journal($driver));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1'), timeoutMs: 2000));
        self::assertFalse($refused->mayHaveBeenExecuted());
        $holder->exec('ROLLBACK');
        self::assertSame([], $this->column($driver, 'SELECT id FROM payments_journal'));
        self::assertSame([], self::$sandbox->requests('create_payout'));
    }

    public function testPostgreSqlCommitsToTheDiskWhateverItsDefaultIs(): void
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

    public function testAServerThatIsDownKeepsTheCallFromBeingSent(): void
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
        self::assertNotSame('', $client->createPayout($this->payout('p-2'))->uid(), 'its result stays');
        self::assertContains('journal_failed', $events);
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-3')));
        self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertStringContainsString('SQLSTATE[08006]', $refused->getMessage());
        self::assertCount(2, self::$sandbox->requests('create_payout'));
    }

    public function testTheFileOfAJournalIsRefused(): void
    {
        $path = $this->folder->file('books/journal.db');
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
        $page = (string) file_get_contents(Repository::root() . '/docs/journal.md');
        self::assertSame(1, preg_match_all('/^```php\n(.*?)^```$/ms', $page, $found));
        $example = preg_replace("/'pgsql:[^']*'/", "'" . self::$postgres->dsn() . "'", $found[1][0], -1, $count);
        self::assertSame(1, $count);
        $config = self::$sandbox->config();
        $client = eval("$example\nreturn \$client;");
        $client->createPayout($this->payout('p-1'));
        self::assertCount(1, $client->journal()->show('p-1'));
    }

    /** @return array<string, string|int|null> an entry in progress */
    private function entry(string $id): array
    {
        $absent = ['refund_code', 'ended_at', 'decided_by', 'hash', 'uid', 'kind', 'code', 'note', 'rival'];
        return [
            'id' => $id, 'version' => 1, 'scope' => 'shop', 'operation' => 'create_payout', 'reference' => 'p-1',
            'amount' => '10.00', 'currency' => 'BRL', 'body_sha256' => str_repeat('0', 64), 'host' => 'shop-1',
            'process' => '7', 'created_at' => 1000, 'deadline_at' => 31_000, 'settles_at' => 931_000,
            'state' => 'in_progress',
        ] + array_fill_keys($absent, null);
    }

    /**
     * @param array<string, string|int|bool> $conditions
     * @return array<string, string|int|bool|null>
     */
    private function filter(array $conditions): array
    {
        $all = ['scope' => 'shop', 'id' => null, 'reference' => null, 'is_open' => false, 'after' => null];
        return $conditions + $all + ['limit' => 1000];
    }
}
