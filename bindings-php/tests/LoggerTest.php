<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\RecordingLogger;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

require_once 'Psr/Log/autoload.php';

/**
 * Events on a logger of PSR-3.
 */
final class LoggerTest extends TestCase
{
    private const QUERY = ['merchant_payment_code' => 'order-1001'];

    private static Sandbox $sandbox;

    private RecordingLogger $logger;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->logger = new RecordingLogger();
    }

    public function testDebugLogsEveryEvent(): void
    {
        $client = $this->client();
        $client->createPayment(Samples::payment());
        $events = ['request_started', 'token_requested', 'token_fetched', 'attempt', 'attempt_ended', 'request_ended'];
        self::assertSame(array_fill(0, 6, 'debug'), array_column($this->logger->records, 0));
        self::assertSame($events, array_column(array_column($this->logger->records, 2), 'event'));
        [, $text, $context] = $this->logger->records[5];
        self::assertSame(['create_payment', 200], [$context['operation'], $context['http_status']]);
        $shown = "call={$context['call']} reference=order-1001 hash={$context['hash']} operation=create_payment";
        self::assertStringStartsWith("request_ended $shown http_status=200 attempts=1 duration=", $text);
        $client->send('GET', '/ws/query', query: ['integration_key' => 'canary', 'merchant_payment_code' => '0']);
        $records = (string) json_encode($this->logger->records, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        $payment = Samples::payment()['payment'];
        $config = self::$sandbox->config();
        $secrets = [$client->accessToken()->accessToken(), 'canary', '?', $payment['name'], $payment['email'],
            $payment['document'], $config['integration_key'], $config['client_secret']];
        foreach ($secrets as $secret) {
            self::assertStringNotContainsString($secret, $records);
        }
    }

    public function testAReferenceStaysOnItsLine(): void
    {
        $query = ['merchant_payment_code' => "a\n\x1b[2J\u{202e}b"];
        self::failure(fn () => $this->client()->queryPayment($query));
        $shown = 'a\n\u{1b}[2J\u{202e}b';
        foreach ($this->logger->records as [, $text, $context]) {
            self::assertSame($shown, $context['reference']);
            self::assertStringContainsString(" reference=$shown ", "$text ");
        }
        $this->logger->records = [];
        self::failure(fn () => $this->client(['log_references' => false])->queryPayment($query));
        self::assertSame([null], array_unique(array_column(array_column($this->logger->records, 2), 'reference')));
    }

    public function testRetriesFailuresAndUnknownOutcomesAreAboveDebug(): void
    {
        $client = $this->client();
        $client->createPayment(Samples::payment());
        self::assertSame([], $this->logger->notable());
        self::$sandbox->fault('query_payment', ['fault' => 'response', 'status' => 503]);
        $client->queryPayment(self::QUERY);
        self::assertSame([['warning', 'retry']], $this->logger->notable());
        $this->logger->records = [];
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        self::failure(fn () => $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-2'])));
        self::assertSame([['warning', 'request_ended']], $this->logger->notable());
        $this->logger->records = [];
        self::$sandbox->fault('create_payment', ['fault' => 'response', 'status' => 422, 'json' => (object) []]);
        self::failure(fn () => $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-3'])));
        self::assertSame([['info', 'request_ended']], $this->logger->notable());
    }

    public function testTheBackoffIsAWarning(): void
    {
        self::$sandbox->text('POST', '/sandbox/tokens/block', ['status' => 429, 'retry_after' => 30]);
        $client = $this->client(['client_id' => 'another']);
        self::failure(fn () => $client->createPayment(Samples::payment()));
        self::assertSame(['warning', 'token_failed'], $this->logger->notable()[0]);
        $failed = array_column($this->logger->records, 2);
        $failed = $failed[array_search('token_failed', array_column($failed, 'event'), true)];
        self::assertGreaterThan(5_000_000, $failed['backoff_us']);
    }

    public function testEveryMessageIsTheLineOfTheEnvironmentsLog(): void
    {
        $code = $this->program('new Libpayments\Client(' . var_export(self::$sandbox->config(), true) . ', logger: '
            . '$logger, shared: false, tokenStore: new Libpayments\Tests\Support\BrokenStore('
            . 'new Libpayments\StoreUnavailable("down")))');
        $run = new Php([PHP_BINARY, '-r', $code], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'PAYMENTS_LOG' => 'debug',
        ]);
        [$status, $output, $errors] = $run->result();
        self::assertSame([0, $errors], [$status, $output]);
        self::assertStringContainsString(' action=load reason="', $output);
        self::assertMatchesRegularExpression('/ lifetime=\d+s$/m', $output);
        self::assertMatchesRegularExpression('/ duration=\d+\.\d{3}ms /', $output);
    }

    public function testTheObserverGetsEventsTooAndBothMayThrow(): void
    {
        $events = [];
        $observer = static function (array $event) use (&$events): void {
            $events[] = $event['event'];
            throw new \DomainException('canary');
        };
        $this->logger = new RecordingLogger(new \RuntimeException('canary'));
        $client = new Client(self::$sandbox->config(), observer: $observer, logger: $this->logger);
        $log = ErrorLog::during(static fn () => $client->createPayment(Samples::payment()));
        self::assertSame($events, array_column(array_column($this->logger->records, 2), 'event'));
        self::assertContains('request_ended', $events);
        self::assertSame(count($events), substr_count($log, 'the logger threw RuntimeException at '));
        self::assertSame(count($events), substr_count($log, 'the observer threw DomainException at '));
        self::assertStringNotContainsString('canary', $log);
    }

    public function testFilesAndTheEnvironmentTakeALoggerToo(): void
    {
        $folder = new Folder();
        $file = $folder->file('payments.json', (string) json_encode(self::$sandbox->config()));
        Client::fromFile($file, logger: $this->logger)->createPayment(Samples::payment());
        self::assertCount(6, $this->logger->records);
        self::$sandbox->reset();
        $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
        foreach (self::$sandbox->config() as $name => $value) {
            $environment['PAYMENTS_' . strtoupper($name)] = (string) $value;
        }
        $said = Php::run($this->program('Libpayments\Client::fromEnv(logger: $logger)'), [], $environment);
        self::assertStringContainsString(' operation=create_payment http_status=200', $said);
    }

    public function testWithoutALoggerThePackageNeedsNoPsr(): void
    {
        $code = 'spl_autoload_register(function (string $class): void { echo "$class\n"; });'
            . 'require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';'
            . '$client = new Libpayments\Client(' . var_export(self::$sandbox->config(), true) . ','
            . 'observer: fn (array $event) => null);'
            . '$client->createPayment(' . var_export(Samples::payment(), true) . ');';
        $asked = Php::run($code, [], [Loader::VARIABLE => Repository::built('libpayments.so')]);
        self::assertStringContainsString('Libpayments\\Client', $asked);
        self::assertStringNotContainsString('Psr', $asked);
        self::assertStringNotContainsString('EventLog', $asked);
    }

    /** A program that pays with a client and prints what `$logger` got. */
    private function program(string $client): string
    {
        return 'require ' . var_export(__DIR__ . '/bootstrap.php', true) . '; require "Psr/Log/autoload.php";'
            . '$logger = new Libpayments\Tests\Support\RecordingLogger();'
            . "\$client = $client; \$client->createPayment(" . var_export(Samples::payment(), true) . ');'
            . 'foreach ($logger->records as $record) { echo "payments[", getmypid(), "] $record[1]\n"; }';
    }

    /** @param array<string, string> $members */
    private function client(array $members = []): Client
    {
        return new Client($members + self::$sandbox->config(), logger: $this->logger);
    }

    private static function failure(\Closure $call): void
    {
        try {
            $call();
        } catch (PaymentsException) {
            return;
        }
        self::fail('the call succeeded');
    }
}
