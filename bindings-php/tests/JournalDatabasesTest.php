<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallContext;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * The shared cases of journals in a database.
 */
final class JournalDatabasesTest extends TestCase
{
    use UsesDatabases;

    /**
     * @dataProvider actions
     * @param array<string, mixed> $case
     */
    public function testTheSharedCasesOfActionsHold(string $driver, array $case): void
    {
        $journal = $this->made($driver);
        $entries = [];
        foreach ($case['steps'] as $step) {
            try {
                $result = $this->act($driver, $journal, $entries, $step);
                self::assertArrayNotHasKey('fails', $step, 'it worked');
                self::assertArrayNotHasKey('refused', $step, 'it worked');
                self::assertHas($step['gives'] ?? null, $result);
            } catch (JournalUnavailable $error) {
                foreach ($step['refused'] ?? [] as $text) {
                    self::assertStringContainsString($text, $error->getMessage());
                }
                if (isset($step['refused'])) {
                    continue;
                }
                self::assertTrue($step['fails'] ?? false, $error->getMessage());
                self::assertInstanceOf(\PDOException::class, $error->getPrevious());
                self::assertStringNotContainsString('no state', $error->getMessage());
            }
        }
    }

    /**
     * @dataProvider tables
     * @param array<string, mixed> $case
     */
    public function testATableIsUsedIfItRefusesASecondPayment(string $driver, array $case): void
    {
        $this->made($driver);
        foreach ($case['steps'] as $step) {
            $pdo = $this->connect($driver);
            array_map($pdo->exec(...), $step['sql']);
            $client = $this->client($this->journal($driver));
            $pay = fn () => $client->createPayout($this->payout('p-1'));
            if (!isset($step['refused'])) {
                $pay();
                self::assertSame('done', $client->journal()->show('p-1')[0]->state);
                continue;
            }
            $refused = $this->failure($pay);
            self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
            self::assertInstanceOf(JournalUnavailable::class, $refused->getPrevious());
            $remedy = ($step['remedy'] ?? '') === 'create' ? 'make it with PdoJournal::create()' : 'repair it';
            $says = "{$step['refused']}; $remedy";
            self::assertStringContainsString($says, $refused->getMessage());
            self::assertSame([], self::$sandbox->requests('create_payout'));
        }
    }

    /** @return iterable<string, array{string, array<string, mixed>}> */
    public static function actions(): iterable
    {
        return self::cases('actions');
    }

    /** @return iterable<string, array{string, array<string, mixed>}> */
    public static function tables(): iterable
    {
        return self::cases('tables');
    }

    /** @return iterable<string, array{string, array<string, mixed>}> */
    private static function cases(string $kind): iterable
    {
        foreach (self::databases() as $name => [$driver]) {
            $database = strtolower(explode(' ', $name)[0]);
            foreach (self::shared()[$kind] as $case) {
                if (($case['database'] ?? $database) === $database) {
                    yield "$name: {$case['name']}" => [$driver, $case];
                }
            }
        }
    }

    /** @return array<string, mixed> */
    private static function shared(): array
    {
        $text = (string) file_get_contents(Repository::shared('journal_databases.json'));
        return json_decode($text, true, 64, JSON_THROW_ON_ERROR);
    }

    /**
     * @param array<string, array<string, mixed>> $entries those that were inserted, by their ids
     * @param array<string, mixed> $step
     */
    private function act(string $driver, PdoJournal $journal, array &$entries, array $step): mixed
    {
        $context = new CallContext(5000);
        if (isset($step['sql'])) {
            $statements = $step['sql'] === 'format_1' ? self::shared()['format_1'] : $step['sql'];
            array_map($this->connect($driver)->exec(...), $statements);
            return null;
        }
        if (isset($step['upgrade'])) {
            $journal->upgrade();
            return null;
        }
        if (isset($step['insert'])) {
            $entry = $step['insert'] + self::shared()['entry'];
            $entries[$entry['id']] = $entry;
            return $journal->insert($entry, $context);
        }
        if (isset($step['update'])) {
            return $journal->update($step['update'] + $entries[$step['update']['id']], $context);
        }
        if (isset($step['find'])) {
            return $this->found($journal, $step['find']);
        }
        if (isset($step['prune'])) {
            return $journal->prune(...[...$step['prune'], $context]);
        }
        $counted = $journal->count(...[...$step['count'], $context]);
        $newest = max(array_column($this->found($journal, []), 'created_at'));
        self::assertEqualsWithDelta($newest, $counted['now'], 60_000);
        return ['newest' => $counted['newest'] === $newest ? 'newest' : $counted['newest']] + $counted;
    }

    /**
     * @param array<string, mixed> $filter
     * @return list<array<string, mixed>>
     */
    private function found(PdoJournal $journal, array $filter): array
    {
        ['entries' => $entries] = $journal->find($filter + self::shared()['filter'], new CallContext(5000));
        foreach ($entries as $entry) {
            self::assertEqualsWithDelta(time() * 1000, $entry['created_at'], 60_000);
            // The clock may advance between the two.
            self::assertEqualsWithDelta(30_500, $entry['deadline_at'] - $entry['created_at'], 500);
            self::assertEqualsWithDelta(930_500, $entry['settles_at'] - $entry['created_at'], 500);
            self::assertSame($entry['version'] === 1, $entry['ended_at'] === null);
        }
        return $entries;
    }
}
