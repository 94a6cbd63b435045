<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
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
        // The service refuses the reference now, so the outcome is unknown.
        [, , $errors] = (new Php([PHP_BINARY, '-r', $code], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'PAYMENTS_LOG' => 'warn',
        ]))->result();
        preg_match_all('/^payments\[\d+\] (\w+) /m', $errors, $warnings);
        self::assertSame(['store_bypassed', 'request_ended'], array_values(array_unique($warnings[1])));
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
}
