<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\Internal\Loader;
use Libpayments\Journal;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\WatchedJournal;
use PHPUnit\Framework\TestCase;

/**
 * A journal in PHP, and its exceptions.
 */
final class OwnJournalTest extends TestCase
{
    private static Sandbox $sandbox;

    private Folder $folder;
    private PdoJournal $journal;
    /** @var list<array<string, mixed>> */
    private array $events = [];

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->folder = new Folder();
        $path = $this->folder->file('journal.db');
        $this->journal = new PdoJournal(static fn (): \PDO => new \PDO("sqlite:$path"));
        $this->journal->create();
    }

    public function testEachActionSeesTheDeadlineOfItsCall(): void
    {
        $seen = [];
        $client = $this->client(static function (string $action, CallContext $context) use (&$seen): void {
            $seen[$action] = $context->remainingMs();
        });
        $client->createPayment(Samples::payment());
        $client->journal()->prune('2100-01-31', recent: true);
        self::assertSame(['insert', 'find', 'update', 'count', 'prune'], array_keys($seen));
        self::assertGreaterThan(10_000, min($seen));
    }

    /** @dataProvider failures */
    public function testAJournalThatThrowsPreventsSending(\Throwable $thrown, string $says): void
    {
        $error = $this->failure(static fn (Client $of): mixed => $of->createPayment(Samples::payment()), [
            'insert' => $thrown,
        ]);
        self::assertSame(['unavailable', 'not_executed'], [$error->getErrorCode(), $error->getOutcome()]);
        self::assertSame($thrown, $error->getPrevious());
        self::assertStringContainsString($says, $error->getMessage());
        self::assertStringNotContainsString('secret', $error->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payment'));
        self::assertSame('request_ended', end($this->events)['event']);
    }

    /** @dataProvider failures */
    public function testAJournalThatThrowsAfterwardsDoesNotChangeTheResult(\Throwable $thrown, string $says): void
    {
        $client = $this->client(self::throwsIn(['update' => $thrown]));
        $payment = static fn () => $client->createPayment(Samples::payment(), timeoutMs: 2000);
        $pay = static fn () => self::assertSame('PE', $payment()->status());
        $log = ErrorLog::during($pay);
        self::assertSame(1, substr_count($log, 'libpayments: journal_failed call='), $log);
        self::assertStringContainsString($says, $log);
        self::assertStringNotContainsString('secret', $log);
        $failed = array_values(array_filter($this->events, static fn ($it) => $it['event'] === 'journal_failed'));
        self::assertCount(1, $failed);
        self::assertSame(['event', 'call', 'reference', 'hash', 'id', 'reason'], array_keys($failed[0]));
        self::assertStringContainsString($says, $failed[0]['reason']);
        self::assertStringNotContainsString('secret', $failed[0]['reason']);
        self::assertSame('in_progress', $client->journal()->list()->current()->state);
    }

    /** @return iterable<string, array{\Throwable, string}> */
    public static function failures(): iterable
    {
        yield 'of its own' => [new \DomainException('secret'), 'it threw DomainException'];
        yield 'for people' => [new JournalUnavailable('the disk is full'), 'the disk is full'];
    }

    public function testACallThatFailsKeepsItsErrorWhenItsEndIsNotRecorded(): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $client = $this->client(self::throwsIn(['update' => new \DomainException('secret')]));
        try {
            $client->createPayment(Samples::payment(), timeoutMs: 2000);
            self::fail('the connection broke');
        } catch (PaymentsException $error) {
            self::assertInstanceOf(UnknownOutcome::class, $error);
            self::assertNotInstanceOf(JournalException::class, $error);
            self::assertNull($error->getPrevious());
        }
        self::assertContains('journal_failed', array_column($this->events, 'event'));
    }

    public function testAnExceptionWhileAJournalIsReadIsTheCallsError(): void
    {
        $thrown = new \DomainException('secret');
        $previous = fn (string $action, \Closure $call): ?\Throwable
            => $this->failure($call, [$action => $thrown])->getPrevious();
        self::assertSame($thrown, $previous('find', static fn (Client $of) => $of->journal()->list()->current()));
        self::assertSame($thrown, $previous('find', static fn (Client $of) => $of->journal()->show('order-1')));
        self::assertSame($thrown, $previous('find', static fn (Client $of) => $of->journal()->recover()));
        $prune = static fn (Client $of) => $of->journal()->prune('2100-01-31', recent: true);
        self::assertSame($thrown, $previous('count', $prune));
        self::assertSame($thrown, $previous('prune', $prune));
    }

    public function testAnExceptionOfAJournalAfterItsInsertPreventsSending(): void
    {
        $thrown = new \DomainException('secret');
        $error = $this->failure(static fn (Client $of): mixed => $of->createPayment(Samples::payment()), [
            'find' => $thrown,
        ]);
        self::assertSame([$thrown, 'not_executed'], [$error->getPrevious(), $error->getOutcome()]);
        self::assertSame([], self::$sandbox->requests('create_payment'));
        $client = $this->client(static fn () => null);
        self::assertSame('failed', $client->journal()->list()->current()->state);
    }

    public function testADecisionThatIsNotStoredIsAnError(): void
    {
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $client = $this->client(static fn () => null);
        try {
            $client->createPayment(Samples::payment(), timeoutMs: 2000);
            self::fail('the connection broke');
        } catch (UnknownOutcome) {
            $id = $client->journal()->list(onlyOpen: true)->current()->id;
        }
        $thrown = new \DomainException('secret');
        $decide = static fn (Client $of): mixed => $of->journal()->resolve($id, executed: true, note: 'seen');
        self::assertSame($thrown, $this->failure($decide, ['update' => $thrown])->getPrevious());
    }

    public function testAnInvalidResultOfAJournalIsRefused(): void
    {
        $journal = $this->createMock(Journal::class);
        $journal->method('find')->willReturn(['entries' => 5]);
        $client = new Client(self::$sandbox->config(), journal: $journal);
        try {
            $client->journal()->list()->current();
            self::fail('these are no entries');
        } catch (JournalException $error) {
            self::assertStringContainsString('returned something unreadable', $error->getMessage());
        }
    }

    public function testAJournalCannotCallTheClientThatItServes(): void
    {
        $client = null;
        $inner = null;
        $client = $this->client(static function () use (&$client, &$inner): void {
            try {
                $client->tokenStatus();
            } catch (PaymentsException $error) {
                $inner ??= $error;
            }
        });
        $client->createPayment(Samples::payment());
        self::assertSame('reentrant_call', $inner->getErrorCode());
    }

    public function testAJournalThatExitsPreventsSending(): void
    {
        $config = $this->folder->file('config.json', (string) json_encode(self::$sandbox->config()));
        $path = $this->folder->file('journal.db');
        $code = 'require "bootstrap.php"; use Libpayments\{Client, PdoJournal}; use Libpayments\Tests\Support as S;'
            . '$store = new PdoJournal(fn () => new PDO("sqlite:' . $path . '"));'
            . '$journal = new S\WatchedJournal($store, function () { echo "exits"; exit(0); });'
            . '$client = new Client(file_get_contents("' . $config . '"), journal: $journal);'
            . '$client->createPayment(S\Samples::payment());';
        $options = ['-d', 'include_path=' . __DIR__];
        $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
        self::assertSame('exits', Php::run($code, $options, $environment));
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    /**
     * The error of a call whose journal throws in an action.
     *
     * @param \Closure(Client): mixed $call
     * @param array<string, \Throwable> $thrown
     */
    private function failure(\Closure $call, array $thrown): JournalException
    {
        try {
            $call($this->client(self::throwsIn($thrown)));
        } catch (JournalException $error) {
            self::assertFalse($error->mayHaveBeenExecuted());
            return $error;
        }
        self::fail('it worked');
    }

    /** @param \Closure(string, CallContext): mixed $before */
    private function client(\Closure $before): Client
    {
        $observer = function (array $event): void {
            $this->events[] = $event;
        };
        $journal = new WatchedJournal($this->journal, $before);
        return new Client(self::$sandbox->config(), observer: $observer, journal: $journal);
    }

    /** @param array<string, \Throwable> $thrown by the name of the action */
    private static function throwsIn(array $thrown): \Closure
    {
        return static fn (string $action): mixed => isset($thrown[$action]) ? throw $thrown[$action] : null;
    }
}
