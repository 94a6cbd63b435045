<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Journal\ClientJournal;
use Libpayments\Journal\Entry;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\WebServer;
use PHPUnit\Framework\TestCase;

/**
 * A journal by configuration alone, and its open entries.
 */
final class JournalTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
    }

    public function testPagesAreReadDuringTheIteration(): void
    {
        $asked = [];
        $journal = new ClientJournal(static function (string $action, array $input) use (&$asked): array {
            $asked[] = [$action, $input['only_open'], $input['after']];
            $ids = [['1', '2'], ['3'], []][count($asked) - 1];
            return ['entries' => array_map(self::entry(...), $ids)];
        });
        $entries = $journal->list(onlyOpen: true);
        self::assertSame([], $asked);
        self::assertSame('1', $entries->current()->id);
        self::assertSame([['journal_list', true, null]], $asked);
        $ids = array_map(static fn (Entry $entry): string => $entry->id, iterator_to_array($entries));
        self::assertSame(['1', '2', '3'], $ids);
        self::assertSame([null, '2', '3'], array_column($asked, 2));
    }

    public function testActionsGetTheirArgumentsAndTheirResultsAreObjects(): void
    {
        $asked = [];
        $journal = new ClientJournal(static function (string $action, array $input) use (&$asked): array {
            $asked[$action] = $input;
            return match ($action) {
                'journal_recover' => ['recovered' => [self::entry('1')], 'open' => [
                    ['entry' => self::entry('2'), 'needs' => 'time', 'reason' => 'look for it later', 'error' => null],
                ]],
                'journal_prune' => ['dry_run' => true, 'done' => 1, 'failed' => 2, 'open' => 3],
                default => ['entries' => [self::entry('3')]],
            };
        });
        ['recovered' => [$recovered], 'open' => [$open]] = get_object_vars($journal->recover());
        self::assertSame(['1', '2', 'time', 'look for it later'], [
            $recovered->id, $open->entry->id, $open->needs, $open->reason,
        ]);
        self::assertSame('3', $journal->resolve('p-1', executed: true, note: 'seen')->id);
        self::assertSame(['3'], array_column($journal->show('p-1'), 'id'));
        $noon = new \DateTimeImmutable('2026-01-31 12:00', new \DateTimeZone('America/Sao_Paulo'));
        $pruned = $journal->prune($noon, recent: true, dryRun: true);
        self::assertSame([true, 1, 2, 3], [$pruned->dryRun, $pruned->done, $pruned->failed, $pruned->open]);
        self::assertSame([
            'journal_recover' => [],
            'journal_resolve' => ['entry' => 'p-1', 'executed' => true, 'note' => 'seen'],
            'journal_show' => ['reference' => 'p-1'],
            'journal_prune' => ['before' => '2026-01-31T12:00:00.000-03:00', 'recent' => true, 'dry_run' => true],
        ], $asked);
    }

    public function testAnEntryHasEveryMember(): void
    {
        $entry = new Entry(self::entry('1'));
        $members = self::entry('1');
        foreach ($members as $name => $value) {
            $property = lcfirst(str_replace('_', '', ucwords($name, '_')));
            if (!str_ends_with($name, '_at')) {
                self::assertSame($value, $entry->$property, $name);
            }
        }
        self::assertCount(count($members), get_object_vars($entry));
        self::assertSame('2026-01-31T12:00:00.007+00:00', $entry->createdAt->format(DATE_RFC3339_EXTENDED));
        self::assertSame('1970-01-01T00:00:00.000+00:00', $entry->deadlineAt->format(DATE_RFC3339_EXTENDED));
        self::assertSame('2026-01-31T12:00:00.999+00:00', $entry->settlesAt->format(DATE_RFC3339_EXTENDED));
        self::assertSame(['UTC', null], [$entry->createdAt->getTimezone()->getName(), $entry->endedAt]);
    }

    public function testAJournalIsCreatedOnlyOnPurpose(): void
    {
        $path = $this->folder->file('journal/payments.db');
        $make = fn (): Client => new Client(['journal' => "file:$path"] + $this->sandbox->config());
        $missing = $this->failure($make);
        self::assertInstanceOf(ConfigException::class, $missing);
        self::assertSame(['missing', 'journal'], [$missing->getErrorCode(), $missing->getPath()]);
        Client::createJournal($path);
        $exists = $this->failure(fn () => Client::createJournal($path));
        self::assertSame('exists', $exists->getErrorCode());
        self::assertSame([], iterator_to_array($make()->journal()->list()));
    }

    public function testARequestThatIsRefusedHereHasTheOutcomeOfItsReference(): void
    {
        $path = $this->folder->file('journal/payments.db');
        Client::createJournal($path);
        $client = new Client(['journal' => "file:$path"] + $this->sandbox->config());
        foreach (['not_executed', 'unknown'] as $outcome) {
            $wrong = Samples::payment(['amount_total' => 100.1]);
            foreach ([$client->ensurePayment(...), fn (array $it) => $client->call('ensure_payment', $it)] as $ensure) {
                $refused = $this->failure(fn () => $ensure($wrong));
                self::assertSame(['wrong_type', $outcome, 'payment.amount_total', 'create_payment'], [
                    $refused->getErrorCode(), $refused->getOutcome(), $refused->getPath(), $refused->getOperation(),
                ]);
                self::assertSame($outcome === 'unknown', $refused->mayHaveBeenExecuted());
                self::assertSame($outcome === 'unknown', $refused->getJournalEntry() !== null);
            }
            $client->ensurePayment(Samples::payment());
        }
    }

    /** @dataProvider observers */
    public function testWithoutALoggerAFailureIsLogged(?\Closure $observer): void
    {
        $path = $this->folder->file('journal/payments.db');
        Client::createJournal($path);
        // The file is gone when the service responds.
        $script = $this->folder->file('service.php', '<?php unlink(getenv("JOURNAL")); http_response_code(503);');
        $service = new WebServer($script, ['JOURNAL' => $path]);
        $config = ['base_url' => $service->url(), 'integration_key' => 'key', 'journal' => "file:$path"];
        $config['timeout_ms'] = 2000;
        $shop = new Client($config, observer: $observer);
        $log = ErrorLog::during(fn () => $this->failure(fn () => $shop->createPayment(Samples::payment())));
        self::assertMatchesRegularExpression('/libpayments: journal_failed call=\d+ reference=order-1001 id=/', $log);
        self::assertSame(1, substr_count($log, 'journal_failed'), $log);
    }

    /** @return iterable<string, array{?\Closure}> */
    public static function observers(): iterable
    {
        yield 'without an observer' => [null];
        yield 'with an observer' => [static fn () => null];
    }

    private function failure(\Closure $call): PaymentsException
    {
        try {
            $call();
        } catch (PaymentsException $error) {
            return $error;
        }
        self::fail('it worked');
    }

    /** @return array<string, mixed> an entry with a state of a later library */
    private static function entry(string $id): array
    {
        return [
            'id' => $id, 'version' => 1, 'scope' => 'shop', 'operation' => 'create_payout', 'reference' => 'p-1',
            'refund_code' => 'r-1', 'amount' => '10.00', 'currency' => 'BRL', 'body_sha256' => '00', 'host' => 'shop-1',
            'process' => '7', 'created_at' => 1_769_860_800_007, 'deadline_at' => 0, 'settles_at' => 1_769_860_800_999,
            'ended_at' => null, 'state' => 'a new one', 'decided_by' => null, 'hash' => '5a', 'uid' => 'u',
            'kind' => 'k', 'code' => 'c', 'note' => 'n', 'rival' => '2', 'needs' => 'another new one',
        ];
    }
}
