<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\TokenException;
use Libpayments\Internal\Loader;
use Libpayments\StoreUnavailable;
use Libpayments\Tests\Support\BrokenStore;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Port;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Every event of the table in docs/monitoring.md: it arrives, with the members
 * that stand there, and holds nothing that it must not.
 */
final class EventsTest extends TestCase
{
    /** Those of a call that needs a token. */
    private const EVENTS = [
        'request_started', 'token_requested', 'token_fetched', 'attempt', 'attempt_ended', 'request_ended',
    ];

    private const QUERY = ['merchant_payment_code' => 'order-1001'];

    private static Sandbox $sandbox;

    /** @var list<array<string, mixed>> the events of this test's observers */
    private array $events = [];

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testEveryEventOfTheTableArrivesWithItsMembers(): void
    {
        $this->payTwice();
        $this->refuseTheToken();
        $this->loseAResponse();
        $this->breakTheStore();
        $this->loseTheJournal();
        $this->cancel();
        $this->failToGetAToken();
        $table = self::table();
        $seen = [];
        foreach ($this->events as $event) {
            $name = $event['event'];
            self::assertArrayHasKey($name, $table);
            self::assertSame(['event', ...array_keys($table[$name])], array_keys($event));
            foreach ($table[$name] as $member => $mayBeNull) {
                $mayBeNull || self::assertNotNull($event[$member], "$name: $member");
                $seen["$name.$member"][gettype($event[$member])] = true;
            }
            $seen[$name] = true;
        }
        foreach ($table as $name => $members) {
            self::assertArrayHasKey($name, $seen);
            foreach ($members as $member => $mayBeNull) {
                $type = preg_match('/_us$|^(call|number|attempts|http_status)$/', $member) === 1 ? 'integer' : 'string';
                $types = array_keys($seen["$name.$member"]);
                // Of most calls, the end is the first event that knows the hash.
                $member === 'hash' || self::assertContains($type, $types, "$name: $member has a value");
                self::assertSame([], array_diff($types, [$type, 'NULL']), "$name: $member");
            }
        }
    }

    public function testNoEventHoldsASecretOrPayerData(): void
    {
        $client = $this->observed();
        $token = $client->accessToken()->accessToken();
        $this->payTwice();
        $this->refuseTheToken();
        $this->loseAResponse();
        $this->breakTheStore();
        $client->send('GET', '/ws/query', query: ['integration_key' => 'canary-query', 'merchant_payment_code' => '0']);
        $this->failToGetAToken();
        $secrets = [$token, 'canary', 'PRIVATE KEY'];
        foreach (['integration_key', 'client_secret'] as $name) {
            $secrets[] = self::$sandbox->config()[$name];
        }
        $payment = Samples::payment()['payment'];
        array_push($secrets, $payment['name'], $payment['email'], $payment['document']);
        foreach (self::$sandbox->requests('create_payment') as $request) {
            foreach ($request['headers'] as [$name, $value]) {
                if (in_array(strtolower($name), ['x-jws-signature', 'authorization'], true)) {
                    $secrets[] = $value;
                }
            }
        }
        self::assertGreaterThan(10, count($secrets));
        $text = (string) json_encode($this->events, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        foreach ($secrets as $secret) {
            self::assertStringNotContainsString($secret, $text);
        }
        $paths = array_unique(array_column($this->events, 'path'));
        self::assertContains('/ws/query', $paths);
        self::assertStringNotContainsString('?', implode($paths));
    }

    public function testTheEventsOfACallComeInOrder(): void
    {
        $this->payTwice();
        self::assertSame(
            [...self::EVENTS, 'request_started', 'token_reused', 'attempt', 'attempt_ended', 'request_ended'],
            array_column($this->events, 'event'),
        );
        [$started, , , $attempt, $attempted, $ended] = $this->events;
        self::assertSame(
            ['order-1001', null, 'create_payment', 'POST', '/ws/direct'],
            array_slice(array_values($started), 2, 5),
        );
        self::assertCount(2, array_unique(array_column($this->events, 'call')));
        self::assertNotNull($ended['hash']);
        self::assertSame([1, 200, null], [$attempted['number'], $attempted['http_status'], $attempted['kind']]);
        self::assertSame(1, $attempt['number']);
        self::assertSame([200, null, null, 1], [$ended['http_status'], $ended['kind'], $ended['outcome'],
            $ended['attempts']]);
        self::assertGreaterThan(0, $ended['signing_us']);
        self::assertGreaterThanOrEqual($ended['signing_us'], $ended['duration_us']);
    }

    public function testTheLogOfTheEnvironmentHasALineForEachEvent(): void
    {
        $lines = self::logOfAPayment('order-1', 'debug');
        preg_match_all('/^payments\[\d+\] (\w+)/m', $lines, $names);
        self::assertSame(self::EVENTS, $names[1], $lines);
        self::assertStringContainsString('http_status=200', $lines);
        self::assertDoesNotMatchRegularExpression('/eyJ|@example/', $lines);
        self::assertSame('', self::logOfAPayment('order-2', ''));
    }

    private static function logOfAPayment(string $reference, string $level): string
    {
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $config = var_export(self::$sandbox->config(), true);
        $payment = var_export(Samples::payment(['merchant_payment_code' => $reference]), true);
        $code = "require $autoload; (new Libpayments\\Client($config))->createPayment($payment);";
        return Php::output(
            ['sh', '-c', 'exec "$0" -r "$1" 2>&1', PHP_BINARY, $code],
            [Loader::VARIABLE => Repository::built('libpayments.so'), 'PAYMENTS_LOG' => $level],
        );
    }

    public function testACallThatACallbackEndedIsCancelled(): void
    {
        $this->cancel();
        $ended = end($this->events);
        self::assertSame(
            ['request_ended', 'cancelled', 'not_executed'],
            [$ended['event'], $ended['kind'], $ended['outcome']],
        );
    }

    private function payTwice(): void
    {
        $client = $this->observed();
        $client->createPayment(Samples::payment());
        $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-1002']));
    }

    private function refuseTheToken(): void
    {
        $client = $this->observed();
        $client->accessToken();
        self::$sandbox->text('POST', '/sandbox/tokens/revoke');
        $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-1003']));
    }

    private function loseAResponse(): void
    {
        self::$sandbox->fault('query_payment', ['fault' => 'close']);
        try {
            $this->observed()->queryPayment(self::QUERY);
        } catch (PaymentsException $error) {
            self::assertSame('rejected', $error->getKind(), $error->getMessage());
        }
        self::assertContains('retry', array_column($this->events, 'event'));
    }

    private function failToGetAToken(): void
    {
        self::$sandbox->text('POST', '/sandbox/tokens/block', ['status' => 429, 'retry_after' => 30]);
        try {
            $this->observed(['client_id' => 'another'])->createPayment(Samples::payment());
            self::fail('the call succeeded');
        } catch (TokenException $error) {
            self::assertFalse($error->mayHaveBeenExecuted());
        }
    }

    private function breakTheStore(): void
    {
        $store = new BrokenStore(new StoreUnavailable('canary of the store'));
        $client = new Client(self::$sandbox->config(), tokenStore: $store, observer: $this->observer(), shared: false);
        $client->accessToken();
        // A server that is not there.
        $server = 'redis://:canary-password@127.0.0.1:' . Port::free();
        $this->observed(['token_store' => $server])->accessToken();
        $reasons = array_column($this->events, 'reason');
        self::assertGreaterThan(1, count(array_unique($reasons)), implode(', ', $reasons));
    }

    private function loseTheJournal(): void
    {
        $folder = new Folder();
        $path = $folder->file('journal/payments.db');
        Client::createJournal($path);
        $observer = function (array $event) use ($path): void {
            $this->events[] = $event;
            if ($event['event'] === 'attempt') {
                rename($path, "$path.away");
            }
        };
        $config = ['journal' => "file:$path"] + self::$sandbox->config();
        $payment = Samples::payment(['merchant_payment_code' => 'order-1004']);
        (new Client($config, observer: $observer, shared: false))->createPayment($payment);
    }

    private function cancel(): void
    {
        $thrown = new \RuntimeException('enough');
        $store = new BrokenStore($thrown);
        $client = new Client(self::$sandbox->config(), tokenStore: $store, observer: $this->observer(), shared: false);
        try {
            $client->createPayment(Samples::payment());
            self::fail('the call succeeded');
        } catch (CancelledException $error) {
            self::assertSame($thrown, $error->getPrevious());
        }
    }

    /** @param array<string, string> $members */
    private function observed(array $members = []): Client
    {
        return new Client($members + self::$sandbox->config(), observer: $this->observer(), shared: false);
    }

    private function observer(): \Closure
    {
        return function (array $event): void {
            $this->events[] = $event;
        };
    }

    /** @return array<string, array<string, bool>> members by event, and whether they may be null */
    private static function table(): array
    {
        $page = (string) file_get_contents(Repository::root() . '/docs/monitoring.md');
        self::assertSame(1, preg_match('/<!-- events:begin -->(.*)<!-- events:end -->/s', $page, $found));
        self::assertSame(1, preg_match('/^Every event has (.*)$/m', $found[1], $shared));
        preg_match_all('/^\| `(\w+)` \|([^|]*)\|/m', $found[1], $rows, PREG_SET_ORDER);
        $table = [];
        foreach ($rows as [, $event, $cell]) {
            $table[$event] = self::members('/`(\w+)`(\??) \(/', $shared[1]) + self::members('/`(\w+)`(\??)/', $cell);
        }
        self::assertNotSame([], $table);
        return $table;
    }

    /** @return array<string, bool> */
    private static function members(string $pattern, string $text): array
    {
        preg_match_all($pattern, $text, $members, PREG_SET_ORDER);
        return array_column(array_map(static fn (array $it): array => [$it[1], $it[2] === '?'], $members), 1, 0);
    }
}
