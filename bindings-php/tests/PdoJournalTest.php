<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Payer;
use Libpayments\Tests\Support\PostgreSql;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A journal in a database: PostgreSQL and SQLite.
 */
final class PdoJournalTest extends TestCase
{
    private static Sandbox $sandbox;
    private static PostgreSql $postgres;

    private Folder $folder;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
        // The adapter asks for more.
        self::$postgres = new PostgreSql('synchronous_commit=off');
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->folder = new Folder();
        $tables = 'DROP TABLE IF EXISTS payments_journal; DROP TABLE IF EXISTS seen';
        (new \PDO(self::$postgres->dsn()))->exec($tables);
    }

    /** @return iterable<string, array{string}> */
    public static function databases(): iterable
    {
        yield 'PostgreSQL' => ['pgsql'];
        yield 'SQLite' => ['sqlite'];
    }

    /** @dataProvider databases */
    public function testAReferenceIsPaidOnce(string $driver): void
    {
        $client = $this->client($this->made($driver));
        $uid = $client->createPayout($this->payout('p-1'))->uid();
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['already_done', 'unknown'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertSame($uid, $refused->getJournalEntry()['uid'] ?? null);
        self::assertCount(1, self::$sandbox->requests('create_payout'));
        [$entry] = $client->journal('list')['entries'];
        self::assertSame([2, 'done', 'call', $uid, null], [
            $entry['version'], $entry['state'], $entry['decided_by'], $entry['uid'], $entry['superseded_by'],
        ]);
        self::assertLessThan(60_000, abs($entry['created_at'] - 1000 * time()), 'by the clock of the database');
        self::assertSame([$entry], $client->journal('show', ['reference' => 'p-1'])['entries']);
        self::assertSame([], $client->journal('list', ['only_open' => true])['entries']);
    }

    /** @dataProvider databases */
    public function testAPersonSettlesALostPayout(string $driver): void
    {
        $client = $this->client($this->made($driver));
        self::$sandbox->fault('create_payout', ['fault' => 'close', 'execute' => true]);
        $this->failure(fn () => $client->createPayout($this->payout('p-1')), PaymentsException::class);
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['unresolved', 'unknown'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertSame('person', $client->journal('recover')['open'][0]['needs']);
        $decision = ['entry' => 'p-1', 'executed' => false, 'note' => 'não está lá'];
        $resolved = $client->journal('resolve', $decision)['entries'][0];
        self::assertSame(['failed', 'não está lá'], [$resolved['state'], $resolved['note']]);
        self::assertNotSame('', $client->createPayout($this->payout('p-1'))->uid());
        self::assertSame(['failed', 'done'], array_column($client->journal('list')['entries'], 'state'));
    }

    /** @dataProvider databases */
    public function testALostPaymentIsRecoveredAndAnOldOneDeleted(string $driver): void
    {
        $client = $this->client($this->made($driver));
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $payment = Samples::payment(['merchant_payment_code' => 'order-1']);
        $this->failure(fn () => $client->createPayment($payment), PaymentsException::class);
        $recovered = $client->journal('recover');
        self::assertSame(['done'], array_column($recovered['recovered'], 'state'));
        self::assertSame(0, $recovered['deleted']);
        $this->connect($driver)->exec('UPDATE payments_journal SET created_at = 0');
        self::assertSame(0, $client->journal('recover')['deleted'], 'the clock alone is not enough');
        $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-2']));
        self::assertSame(1, $client->journal('recover')['deleted']);
        self::assertSame(['order-2'], array_column($client->journal('list')['entries'], 'reference'));
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
    public function testAPersonLetsACallSupersedeAnEarlierOne(string $driver): void
    {
        $client = $this->client($this->made($driver));
        $payout = $this->payout('p-1');
        $pay = static fn (bool $supersede): string => $client->createPayout($payout, supersede: $supersede)->uid();
        $first = $pay(true);
        $early = $this->failure(fn () => $pay(true));
        self::assertSame('already_done', $early->getErrorCode(), 'its deadline has not passed');
        $this->connect($driver)->exec('UPDATE payments_journal SET deadline_at = 0');
        $this->failure(fn () => $pay(false));
        $second = $pay(true);
        [$earlier, $later] = $client->journal('list')['entries'];
        self::assertSame([$first, $later['id']], [$earlier['uid'], $earlier['superseded_by']]);
        self::assertSame([$second, null], [$later['uid'], $later['superseded_by']]);
        $call = $this->failure(fn () => $client->call('create_payout', $payout, supersede: true));
        self::assertSame('already_done', $call->getErrorCode());
        $client->send('POST', '/ws/any', '{}', reference: 's-1');
        $this->connect($driver)->exec('UPDATE payments_journal SET deadline_at = 0');
        self::assertSame(200, $client->send('POST', '/ws/any', '{}', reference: 's-1', supersede: true)->httpStatus());
    }

    /** @dataProvider databases */
    public function testSupersedingAndInsertingAreOneTransaction(string $driver): void
    {
        $journal = $this->made($driver);
        $context = new CallContext(5000);
        $earlier = $this->entry('1');
        $next = $this->entry('2');
        self::assertTrue($journal->insert($earlier, [], $context));
        self::assertFalse($journal->insert($next, [], $context), 'the index refuses it');
        self::assertFalse($journal->insert($next, [['version' => 7] + $earlier], $context), 'another version');
        $other = ['scope' => 'another'] + $this->entry('3');
        self::assertTrue($journal->insert($other, [], $context));
        self::assertFalse($journal->insert($next, [$other], $context), 'refused after it superseded');
        try {
            $journal->insert(['state' => 'no state'] + $next, [$earlier], $context);
            self::fail('the table refuses it');
        } catch (JournalUnavailable $error) {
            self::assertInstanceOf(\PDOException::class, $error->getPrevious());
            self::assertStringNotContainsString('no state', $error->getMessage());
        }
        self::assertSame([1, 1], $this->column($driver, 'SELECT version FROM payments_journal ORDER BY id'));
        self::assertTrue($journal->insert($next, [$earlier], $context));
        self::assertFalse($journal->update(['state' => 'done'] + $earlier, $context), 'superseding is a change');
        self::assertTrue($journal->update(['state' => 'done', 'hash' => '5a'] + $next, $context));
        $found = $journal->find($this->filter(['after' => '1', 'limit' => 1]), $context);
        self::assertSame(['2', 2, 'done', '5a'], [
            $found['entries'][0]['id'], $found['entries'][0]['version'], $found['entries'][0]['state'],
            $found['entries'][0]['hash'],
        ]);
        self::assertGreaterThanOrEqual($found['entries'][0]['ended_at'], $found['now']);
    }

    /** @dataProvider databases */
    public function testWhatAFailedEntrySupersededIsInForceAgain(string $driver): void
    {
        $journal = $this->made($driver);
        $context = new CallContext(5000);
        $entries = array_map($this->entry(...), ['1', '2', '3']);
        foreach ($entries as $index => $entry) {
            $superseded = array_slice($entries, max(0, $index - 1), min($index, 1));
            self::assertTrue($journal->insert($entry, $superseded, $context));
        }
        $fails = static fn (int $index, int $version): bool
            => $journal->update(['state' => 'failed', 'version' => $version] + $entries[$index], $context);
        $column = fn (string $name): array => $this->column($driver, "SELECT $name FROM payments_journal ORDER BY id");
        $supersededBy = static fn (): array => $column('superseded_by');
        self::assertFalse($fails(1, 1));
        self::assertSame(['2', '3', null], $supersededBy());
        self::assertTrue($fails(1, 2));
        self::assertSame(['3', '3', null], $supersededBy());
        self::assertTrue($fails(2, 1));
        self::assertSame([null, null, null], $supersededBy());
        self::assertSame([4, 4, 2], $column('version'));
        self::assertFalse($journal->insert($this->entry('4'), [], $context));
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
    public function testWithoutItsTableNothingIsSent(string $driver): void
    {
        $client = $this->client($this->journal($driver));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertStringContainsString('make it once with PdoJournal::create()', $refused->getMessage());
        self::assertInstanceOf(\PDOException::class, $refused->getPrevious()->getPrevious());
        self::assertSame([], self::$sandbox->requests('create_payout'));
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
        self::assertSame([], $client->journal('list')['entries']);
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

    public function testADumpShowsNoPassword(): void
    {
        $password = 'canary-database-31415';
        $journal = new PdoJournal(static fn (): \PDO => new \PDO('pgsql:', 'shop', $password));
        self::assertStringNotContainsString($password, print_r($journal, true));
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
        foreach ([$journal->create(...), fn () => $journal->prune('any', 0, new CallContext(1000))] as $act) {
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
        self::assertCount(1, $client->journal('list')['entries']);
    }

    private function client(PdoJournal $journal): Client
    {
        return new Client(self::$sandbox->config(), journal: $journal);
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
        return $driver === 'pgsql' ? self::$postgres->dsn() : 'sqlite:' . $this->folder->file('journal.db');
    }

    /** @return list<string|int> */
    private function column(string $driver, string $sql): array
    {
        return $this->connect($driver)->query($sql)->fetchAll(\PDO::FETCH_COLUMN);
    }

    /**
     * @param class-string<PaymentsException> $class
     */
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

    /** @return array<string, string|int|null> an entry in progress */
    private function entry(string $id): array
    {
        $absent = ['refund_code', 'ended_at', 'decided_by', 'hash', 'uid', 'kind', 'code', 'note', 'conflict',
            'superseded_by'];
        return [
            'id' => $id, 'version' => 1, 'scope' => 'shop', 'operation' => 'create_payout', 'reference' => 'p-1',
            'amount' => '10.00', 'currency' => 'BRL', 'body_sha256' => str_repeat('0', 64), 'host' => 'shop-1',
            'process' => '7', 'created_at' => 1000, 'deadline_at' => 31_000, 'state' => 'in_progress',
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

    /** @return array<string, mixed> */
    private function payout(string $reference): array
    {
        return [
            'external_reference' => $reference, 'country' => 'br', 'amount' => '10.00', 'currency_code' => 'BRL',
            'target' => 'pix_key', 'target_account' => 'joao@example.com', 'payee' => ['name' => 'João Souza'],
        ];
    }
}
