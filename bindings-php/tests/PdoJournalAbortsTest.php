<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\LatePdo;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * Calls that end while a journal in PostgreSQL commits their entries.
 */
final class PdoJournalAbortsTest extends TestCase
{
    use UsesDatabases;

    private const PROCESSES = 10;
    private const PAYOUTS = 15;

    public function testALateEntryIsMarkedAsFailedAtTheNextUse(): void
    {
        $this->made('pgsql');
        $isLate = true;
        $underWay = [];
        $connect = function () use (&$isLate, &$underWay): \PDO {
            return $isLate ? $underWay[] = new LatePdo($this->dsn('pgsql')) : $this->connect('pgsql');
        };
        $client = $this->client(new PdoJournal($connect));
        $lost = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        $isLate = false;
        self::assertSame(['unavailable', 'not_executed'], [$lost->getErrorCode(), $lost->getOutcome()]);
        self::assertStringContainsString('may still be stored, and block the reference until', $lost->getMessage());
        self::assertInstanceOf(JournalUnavailable::class, $lost->getPrevious());
        self::assertTrue($lost->getPrevious()->duringCommit);
        $states = 'SELECT state FROM payments_journal ORDER BY id';
        self::assertSame([], $this->column('pgsql', $states));
        $underWay[0]->land();
        self::assertSame(['in_progress'], $this->column('pgsql', $states));
        // Another client, as in the next request of PHP-FPM.
        unset($client);
        $client = $this->client($this->journal('pgsql'));
        $client->createPayout($this->payout('p-2'));
        self::assertSame(['failed', 'done'], $this->column('pgsql', $states));
        $client->createPayout($this->payout('p-1'));
        self::assertCount(2, self::$sandbox->requests('create_payout'));
    }

    public function testAnUnreachableJournalHasNoLateEntry(): void
    {
        $count = 0;
        $journal = new PdoJournal(static function () use (&$count): \PDO {
            $count++;
            return new \PDO('pgsql:host=127.0.0.1;port=1;dbname=none');
        });
        $config = ['journal_scope' => 'unreachable'] + self::$sandbox->config();
        $client = new Client($config, journal: $journal);
        foreach (['p-1', 'p-2'] as $reference) {
            $refused = $this->failure(fn () => $client->createPayout($this->payout($reference)));
            self::assertStringNotContainsString('block', $refused->getMessage());
            self::assertFalse($refused->getPrevious()->duringCommit);
        }
        self::assertSame(2, $count, 'the end of neither is recorded, and neither is looked for');
    }

    /** @return iterable<string, array{string}> */
    public static function ends(): iterable
    {
        yield 'a signal' => ['signal'];
        yield 'a deadline' => ['deadline'];
    }

    /**
     * PAYMENTS_TEST_ABORTS says how often 150 payouts end early: once, unless it is set.
     *
     * @dataProvider ends
     */
    public function testAPayoutThatEndsEarlyLeavesNoEntryInProgress(string $end): void
    {
        $this->made('pgsql');
        $rounds = (int) (getenv('PAYMENTS_TEST_ABORTS') ?: '1');
        $environment = [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $this->folder->file('config.json', (string) json_encode(self::$sandbox->config())),
            'TEST_JOURNAL' => self::$postgres->dsn(),
        ];
        $begun = hrtime(true);
        self::payBriefly('w', 3, 0, 'never', $environment);
        // About as long as a payout takes when all processes pay.
        $longest = intdiv(hrtime(true) - $begun, 3 * 1_000_000);
        $outcomes = [];
        for ($round = 0; $round < $rounds; $round++) {
            $outcomes += self::payBriefly("p-$round", self::PAYOUTS, $longest, $end, $environment);
        }
        $open = "SELECT reference, state FROM payments_journal WHERE state IN ('in_progress', 'unknown')";
        $open = $this->connect('pgsql')->query($open)->fetchAll(\PDO::FETCH_KEY_PAIR);
        foreach ($open as $reference => $state) {
            self::assertSame(['unknown', 'unknown'], [$outcomes[$reference], $state], $reference);
        }
        self::assertCount($rounds * self::PROCESSES * self::PAYOUTS, $outcomes);
        $unsent = count(array_keys($outcomes, 'not_executed', true));
        self::assertGreaterThan(0, $unsent);
        fwrite(STDERR, "$unsent of " . count($outcomes) . " payouts sent nothing; ");
    }

    /**
     * The outcomes of the payouts of many processes, by their references.
     *
     * @param array<string, string> $environment
     * @return array<string, string>
     */
    private static function payBriefly(string $prefix, int $count, int $longest, string $end, array $environment): array
    {
        $running = [];
        for ($process = 0; $process < self::PROCESSES; $process++) {
            $arguments = ["$prefix-$process", (string) $count, (string) $longest, $end];
            $command = [PHP_BINARY, __DIR__ . '/fixtures/pay_briefly.php', ...$arguments];
            $running[] = new Php($command, $environment);
        }
        $outcomes = [];
        foreach ($running as $process) {
            $outcomes += json_decode($process->end(), true, 4, JSON_THROW_ON_ERROR);
        }
        return $outcomes;
    }
}
