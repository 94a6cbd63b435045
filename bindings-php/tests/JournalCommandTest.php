<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * The command `payments-journal`, as a process.
 */
final class JournalCommandTest extends TestCase
{
    use UsesDatabases;

    private const DATABASE = 'PAYMENTS_JOURNAL_DATABASE';

    /**
     * @dataProvider cases
     * @param list<array<string, mixed>> $steps
     */
    public function testACaseOfAllLanguages(string $driver, array $steps): void
    {
        $database = [self::DATABASE => $this->dsn($driver)];
        $made = $this->command(['--json', 'create'], $database);
        self::assertSame([0, "{\"table\":\"payments_journal\"}\n", ''], $made);
        $client = $this->client($this->journal($driver));
        foreach ($steps as $step) {
            if (isset($step['pay'])) {
                $client->createPayout($this->payout($step['pay']));
            } elseif (isset($step['lose'])) {
                $this->lose($client, $step['lose']);
            } elseif (isset($step['settle'])) {
                $settle = 'UPDATE payments_journal SET settles_at = 0 WHERE reference = ?';
                $statement = $this->connect($driver)->prepare($settle);
                $statement->execute([$step['settle']]);
                self::assertSame(1, $statement->rowCount());
            } elseif (isset($step['refused'])) {
                $refused = $this->failure(fn () => $client->createPayout($this->payout($step['refused'])));
                self::assertHas($step['error'], $refused->toArray());
            } elseif (isset($step['file'])) {
                file_put_contents($this->configured() . "/{$step['file']}", $step['text']);
            } elseif (isset($step['payment'])) {
                $client->createPayment(Samples::payment(['merchant_payment_code' => $step['payment']]));
                if (isset($step['move'])) {
                    self::$sandbox->call('POST', "/sandbox/payments/{$step['payment']}/{$step['move']}");
                }
            } elseif (isset($step['follow'])) {
                $this->follows($step, $database);
            } else {
                $this->runs($step, $database);
            }
        }
    }

    /** @return iterable<string, array{string, list<array<string, mixed>>}> */
    public static function cases(): iterable
    {
        $text = (string) file_get_contents(Repository::shared('journal_commands.json'));
        $cases = json_decode($text, true, 64, JSON_THROW_ON_ERROR)['cases'];
        foreach (self::databases() as $database => [$driver]) {
            foreach ($cases as ['name' => $name, 'steps' => $steps]) {
                yield "$database: $name" => [$driver, $steps];
            }
        }
    }

    public function testPeopleReadTextAndWhatToRunNext(): void
    {
        $this->lose($this->client($this->made('pgsql')), 'p-1');
        $command = implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, self::program(), 'list']));
        $terminal = new Php(['script', '-qec', $command, '/dev/null'], $this->environment(), $this->configured());
        $text = $terminal->end();
        self::assertStringContainsString('REFERENCE', $text);
        self::assertStringContainsString('run `' . self::program() . ' recover` after', $text);
        $json = new Php(['script', '-qec', "$command --json", '/dev/null'], $this->environment(), $this->configured());
        self::assertStringStartsWith('{"entries":[{', $json->end());
    }

    public function testAJournalInSqliteAndItsPlacesAsOptions(): void
    {
        $config = $this->configured() . '/payments.json';
        $options = ['--database', $this->dsn('sqlite'), "--config=$config"];
        self::assertSame(0, $this->command([...$options, 'create'], [], '/')[0]);
        [$status, $output] = $this->command(['list', ...$options], [], '/');
        self::assertSame([0, '{"entries":[],'], [$status, substr($output, 0, 14)]);
        self::assertSame([1, ''], array_slice($this->command(['create', ...$options], [], '/'), 0, 2));
    }

    public function testTheEnvironmentMayHaveTheConfigurationWithoutCredentials(): void
    {
        $this->made('pgsql');
        $environment = ['PAYMENTS_BASE_URL' => self::$sandbox->url(), 'PAYMENTS_ENVIRONMENT' => 'sandbox'];
        self::assertSame(0, $this->command(['list'], $environment, '/')[0]);
    }

    /** What standard output did not take is no success, and an end is reported again. */
    public function testAFullOutputIsAFailureAndAnEndComesAgain(): void
    {
        $client = $this->client($this->made('sqlite'));
        $client->createPayment(Samples::payment(['merchant_payment_code' => 'order-1']));
        self::$sandbox->call('POST', '/sandbox/payments/order-1/confirm');
        $state = $this->configured() . '/full.state';
        $follow = ['follow', '--state', $state, 'order-1'];
        $database = [self::DATABASE => $this->dsn('sqlite')];
        foreach ([$follow, ['list'], ['recover'], ['--help']] as $arguments) {
            $words = array_map(escapeshellarg(...), [PHP_BINARY, self::program(), ...$arguments]);
            $command = ['sh', '-c', implode(' ', $words) . ' > /dev/full'];
            $php = new Php($command, $database + $this->environment(), $this->configured());
            [$status, , $errors] = $php->result();
            self::assertSame(1, $status, implode(' ', $arguments) . $errors);
            $report = json_decode($errors, true, 8, JSON_THROW_ON_ERROR);
            self::assertSame(['io', 'output_failed'], [$report['kind'], $report['code']]);
        }
        self::assertStringNotContainsString('"reported"', (string) file_get_contents($state));
        [$status, $output] = $this->command($follow, $database);
        self::assertSame(0, $status);
        self::assertStringContainsString('"repeated":true', $output);
        self::assertSame([0, '', ''], $this->command($follow, $database));
    }

    public function testASignalEndsFollowQuietlyByThatSignalAndMarksAreKept(): void
    {
        foreach ([SIGTERM, SIGINT] as $signal) {
            $names = ["1-paid-$signal", "2-open-$signal"];
            $this->pay(...$names);
            self::$sandbox->call('POST', "/sandbox/payments/$names[0]/confirm");
            $follow = [...$names, '--state', $this->configured() . "/$signal.state"];
            $php = $this->following($follow, 2);
            $php->signal($signal);
            [$status, $output, $errors] = $php->result();
            self::assertSame([$signal, 1, ''], [$status, substr_count($output, "\n"), $errors]);
            $again = $this->following($follow, 1);
            $again->signal($signal);
            self::assertSame([$signal, '', ''], $again->result());
        }
    }

    public function testASignalWhileSomethingGivenUpStandsIs3(): void
    {
        $this->pay('order-0', 'order-1');
        $state = ['--state', $this->configured() . '/given_up.state'];
        $giveUp = ['follow', 'order-0', '--give-up-after', '0s', ...$state];
        self::assertSame(3, $this->command($giveUp, [self::DATABASE => ''])[0]);
        $php = $this->following(['order-0', 'order-1', ...$state], 2);
        $php->signal(SIGTERM);
        self::assertSame([3, '', ''], $php->result());
    }

    public function testHelpNeedsNeitherDatabaseNorConfiguration(): void
    {
        foreach ([['--help'], ['help'], ['resolve', '--help']] as $arguments) {
            [$status, $output, $errors] = $this->command($arguments, [self::DATABASE => ''], '/');
            self::assertSame([0, ''], [$status, $errors]);
            self::assertStringContainsString("payments-journal prune --before 2026-01-31 --dry-run\n", $output);
        }
    }

    /**
     * @dataProvider mistakes
     * @param list<string> $arguments
     * @param array<string, string> $environment
     */
    public function testWhatIsMissingIsNamed(
        array $arguments,
        array $environment,
        string $folder,
        string $kind,
        string $says,
    ): void {
        [$status, $output, $errors] = $this->command($arguments, $environment, $folder);
        self::assertSame([$kind === 'journal' ? 1 : 2, ''], [$status, $output]);
        self::assertSame(1, substr_count($errors, "\n"), $errors);
        $report = json_decode($errors, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame([$kind, 'not_executed'], [$report['kind'], $report['outcome']]);
        self::assertStringContainsString($says, $report['message']);
        self::assertStringNotContainsString('canary', $errors);
    }

    /** @return iterable<string, array{list<string>, array<string, string>, string, string, string}> */
    public static function mistakes(): iterable
    {
        $here = '';
        yield 'no command' => [[], [], $here, 'usage', 'give one of create, list, show'];
        yield 'no value' => [['list', '--config'], [], $here, 'usage', '--config needs a value'];
        yield 'more than create takes' => [['create', '--opne'], [], $here, 'usage', 'create takes no arguments'];
        yield 'no database' => [['list'], [self::DATABASE => ''], $here, 'usage', 'give --database DSN or set'];
        $url = 'postgresql://shop:canary@db.example/shop';
        yield 'a URL' => [['list', '--database', $url], [], $here, 'usage', 'must be a DSN of PDO such as pgsql:'];
        yield 'another database' => [['list', '--database=mysql:canary'], [], $here, 'usage', 'must be a DSN of PDO'];
        yield 'no configuration' => [['list'], [], '/', 'config', 'nothing is configured: give --config FILE'];
        yield 'no such file' => [['list', '--config', '/none.json'], [], $here, 'config', 'none.json'];
        yield 'no table' => [['list'], [], $here, 'journal', 'there is no table payments_journal; make the table with'];
        $down = 'pgsql:host=127.0.0.1;port=1;dbname=shop;password=canary';
        yield 'no server' => [['list', '--database', $down], [], $here, 'journal', 'SQLSTATE[08006]'];
        yield 'no server to create in' => [['create', '--database', $down], [], $here, 'journal', 'SQLSTATE[08006]'];
    }

    public function testAMissingDriverIsNamed(): void
    {
        // Without the extensions of php.ini, which Debian loads one by one.
        $command = [PHP_BINARY, '-n', self::program(), 'create'];
        [$status, , $errors] = (new Php($command, $this->environment(), '/'))->result();
        self::assertSame(2, $status);
        self::assertStringContainsString('install and enable the extension pdo_pgsql', $errors);
    }

    /**
     * @param array<string, mixed> $step
     * @param array<string, string> $database
     */
    private function runs(array $step, array $database): void
    {
        [$status, $output, $errors] = $this->command($step['run'], $database);
        $shown = json_encode($step) . "\n$output$errors";
        self::assertSame($step['exit_code'], $status, $shown);
        foreach (['stdout' => $output, 'stderr' => $errors] as $name => $printed) {
            if (!isset($step[$name])) {
                self::assertSame('', $printed, $shown);
                continue;
            }
            self::assertHas($step[$name], json_decode($printed, true, 64, JSON_THROW_ON_ERROR), $shown);
        }
    }

    /**
     * @param array<string, mixed> $step
     * @param array<string, string> $database
     */
    private function follows(array $step, array $database): void
    {
        [$status, $output, $errors] = $this->command(['follow', ...$step['follow']], $database);
        self::assertSame($step['exit_code'], $status, $output . $errors);
        $lines = array_filter(explode("\n", $output));
        $ends = array_map(static fn (string $line): array => json_decode($line, true, 8, JSON_THROW_ON_ERROR), $lines);
        self::assertHas($step['ends'], $ends);
        if (isset($step['stderr'])) {
            self::assertHas($step['stderr'], json_decode($errors, true, 8, JSON_THROW_ON_ERROR));
        } else {
            self::assertSame('', $errors);
        }
    }

    private function pay(string ...$references): void
    {
        $client = new Client(self::$sandbox->config());
        foreach ($references as $reference) {
            $client->createPayment(Samples::payment(['merchant_payment_code' => $reference]));
        }
    }

    /**
     * The command `follow`, when it has made so many queries.
     *
     * @param list<string> $arguments
     */
    private function following(array $arguments, int $queries): Php
    {
        $made = static fn (): int => count(self::$sandbox->requests('query_payment'));
        $before = $made();
        $command = [PHP_BINARY, self::program(), 'follow', ...$arguments];
        $php = new Php($command, [self::DATABASE => ''] + $this->environment(), $this->configured());
        while ($made() < $before + $queries) {
            usleep(10_000);
        }
        return $php;
    }

    /**
     * The exit code of the command, and what it prints.
     *
     * @param list<string> $arguments
     * @param array<string, string> $environment beside the library and the database
     * @param string $folder where it runs; empty for one with a configuration
     * @return array{int, string, string}
     */
    private function command(array $arguments, array $environment = [], string $folder = ''): array
    {
        $command = [PHP_BINARY, self::program(), ...$arguments];
        $folder = $folder === '' ? $this->configured() : $folder;
        return (new Php($command, $environment + $this->environment(), $folder))->result();
    }

    private static function program(): string
    {
        return dirname(__DIR__) . '/bin/payments-journal';
    }

    /** @return array<string, string> */
    private function environment(): array
    {
        return [Loader::VARIABLE => Repository::built('libpayments.so'), self::DATABASE => $this->dsn('pgsql')];
    }

    /** A folder with a payments.json. */
    private function configured(): string
    {
        return dirname($this->folder->file('payments.json', (string) json_encode(self::$sandbox->config())));
    }
}
