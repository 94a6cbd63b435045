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
 * The commands `payments journal` and `payments follow`, as a process.
 */
final class JournalCommandTest extends TestCase
{
    use UsesDatabases;

    private const DATABASE = 'PAYMENTS_JOURNAL_DATABASE';

    private bool $isConfigured = false;

    /**
     * @dataProvider cases
     * @param list<array<string, mixed>> $steps
     */
    public function testTheSharedCasesHold(string $driver, array $steps): void
    {
        $database = [self::DATABASE => $this->dsn($driver)];
        $made = $this->command(['journal', '--json', 'create'], $database);
        self::assertSame([0, "{\"table\":\"payments_journal\"}\n", ''], $made);
        $client = $this->client($this->journal($driver));
        foreach ($steps as $step) {
            if (isset($step['pay'])) {
                $client->createPayout($this->payout($step['pay']));
                if (isset($step['move'])) {
                    self::$sandbox->call('POST', "/sandbox/payouts/{$step['pay']}/{$step['move']}");
                }
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
            } elseif (isset($step['configure'])) {
                $config = json_encode($step['configure'] + self::$sandbox->config());
                file_put_contents($this->configured() . '/payments.json', $config);
            } elseif (isset($step['file'])) {
                file_put_contents($this->configured() . "/{$step['file']}", $step['text']);
            } elseif (isset($step['remove'])) {
                unlink($this->configured() . "/{$step['remove']}");
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

    public function testPeopleReadTextAndTheNextCommand(): void
    {
        $this->lose($this->client($this->made('pgsql')), 'p-1');
        $command = implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, self::program(), 'journal', 'list']));
        $terminal = new Php(['script', '-qec', $command, '/dev/null'], $this->environment(), $this->configured());
        $text = $terminal->end();
        self::assertStringContainsString('REFERENCE', $text);
        self::assertStringContainsString('run `' . self::program() . ' journal recover` after', $text);
        $json = new Php(['script', '-qec', "$command --json", '/dev/null'], $this->environment(), $this->configured());
        self::assertStringStartsWith('{"entries":[{', $json->end());
        foreach (['' => 'error    ', ' --json' => '{"kind":"usage"'] as $more => $start) {
            $failed = ['script', '-qec', "$command --none$more", '/dev/null'];
            [$exit, $output] = (new Php($failed, $this->environment(), $this->configured()))->result();
            self::assertSame(2, $exit, $output);
            self::assertStringStartsWith($start, $output);
        }
    }

    public function testAJournalInSqliteAndItsPlacesAsOptions(): void
    {
        $config = $this->configured() . '/payments.json';
        $options = ['--database', $this->dsn('sqlite'), "--config=$config"];
        self::assertSame(0, $this->command([...$options, 'journal', 'create'], [], '/')[0]);
        [$status, $output] = $this->command(['journal', 'list', ...$options], [], '/');
        self::assertSame([0, '{"entries":[],'], [$status, substr($output, 0, 14)]);
        self::assertSame([1, ''], array_slice($this->command(['journal', 'create', ...$options], [], '/'), 0, 2));
        self::assertSame(0, $this->command(['journal', 'upgrade', ...$options], [], '/')[0]);
    }

    public function testTheEnvironmentMayHaveTheConfigurationWithoutCredentials(): void
    {
        $this->made('pgsql');
        $environment = ['PAYMENTS_BASE_URL' => self::$sandbox->url(), 'PAYMENTS_ENVIRONMENT' => 'sandbox'];
        self::assertSame(0, $this->command(['journal', 'list'], $environment, '/')[0]);
    }

    public function testAClosedOutputIsNamedBeforeAnythingIsDone(): void
    {
        $state = $this->configured() . '/closed.state';
        foreach ([['follow', '--state', $state, 'order-1'], ['journal', 'create'], ['journal', 'list']] as $words) {
            $command = ['sh', '-c', 'exec "$0" "$@" >&-', PHP_BINARY, self::program(), ...$words];
            [$status, , $errors] = (new Php($command, $this->environment(), $this->configured()))->result();
            $report = json_decode($errors, true, 8, JSON_THROW_ON_ERROR);
            self::assertSame([2, 'usage', 'output_failed'], [$status, $report['kind'], $report['code']]);
        }
        self::assertFileDoesNotExist($state);
    }

    public function testOtherCommandsAreThoseOfThePackageWithTheSandbox(): void
    {
        $folder = $this->configured();
        mkdir("$folder/vendor/bin", 0777, true);
        mkdir("$folder/vendor/libpayments/sandbox/bin", 0777, true);
        $keygen = ['keygen', '--help'];
        self::assertSame(2, $this->command($keygen)[0]);
        symlink(Repository::built('payments'), "$folder/vendor/libpayments/sandbox/bin/payments");
        [$status, $output] = $this->command($keygen);
        self::assertSame(0, $status);
        self::assertStringContainsString('payments keygen', $output);
        foreach ([[], ['--database', 'sqlite:none.db', 'journal', 'list'], ['journal']] as $own) {
            self::assertStringNotContainsString('sandbox', implode($this->command($own, [self::DATABASE => ''])));
        }
    }

    public function testANameIsExplained(): void
    {
        self::assertSame('kind of errors', json_decode($this->command(['explain', 'timeout'])[1], true)['kind']);
        self::assertStringContainsString('`timeoutMs`', $this->command(['explain', 'deadline_passed'])[1]);
        [$status, $output, $errors] = $this->command(['explain', 'tmeout']);
        self::assertSame([2, ''], [$status, $output]);
        self::assertStringContainsString('did you mean timeout? `vendor/bin/payments explain` lists all', $errors);
    }

    public function testALibraryThatCannotBeLoadedIsNamed(): void
    {
        $without = [Loader::VARIABLE => '/nowhere/libpayments.so'];
        [$status, $output, $errors] = $this->command(['journal', 'list'], $without);
        $report = json_decode($errors, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame([2, '', 'config'], [$status, $output, $report['kind']]);
        $command = implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, self::program(), 'journal', 'list']));
        $terminal = ['script', '-qec', $command, '/dev/null'];
        [$exit, $text] = (new Php($terminal, $without, $this->configured()))->result();
        self::assertSame(2, $exit);
        self::assertStringStartsWith('error    /nowhere/libpayments.so, named by ', $text);
        self::assertStringEndsWith("\r\noutcome  not executed\r\nnext     vendor/bin/payments explain "
            . "library_not_loaded\r\ndetails  kind config, code library_not_loaded\r\n", $text);
        self::assertDoesNotMatchRegularExpression('/^.{81}/m', $text);
    }

    public function testASignalEndsFollowQuietlyAndKeepsItsMarks(): void
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

    public function testASignalAfterGivingUpExitsWith3(): void
    {
        $this->pay('order-0', 'order-1');
        $state = ['--state', $this->configured() . '/given_up.state'];
        $giveUp = ['follow', 'order-0', '--give-up-after', '0s', ...$state];
        self::assertSame(3, $this->command($giveUp, [self::DATABASE => ''])[0]);
        $php = $this->following(['order-0', 'order-1', ...$state], 2);
        $php->signal(SIGTERM);
        self::assertSame([3, '', ''], $php->result());
    }

    /**
     * @dataProvider mistakes
     * @param list<string> $arguments
     * @param array<string, string> $environment
     */
    public function testAMissingArgumentIsNamed(
        array $arguments,
        array $environment,
        string $folder,
        string $kind,
        string $says,
    ): void {
        [$status, $output, $errors] = $this->command(['journal', ...$arguments], $environment, $folder);
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
        yield 'more than create takes' => [['create', 'more'], [], $here, 'usage', 'create takes options only'];
        yield 'no database' => [['list'], [self::DATABASE => ''], $here, 'usage', 'give --database, such as pgsql:'];
        $url = 'postgresql://shop:canary@db.example/shop';
        yield 'a URL' => [['list', '--database', $url], [], $here, 'usage', 'must be a DSN of PDO such as pgsql:'];
        yield 'another database' => [['list', '--database=mysql:canary'], [], $here, 'usage', 'must be a DSN of PDO'];
        yield 'no table' => [['list'], [], $here, 'journal', 'there is no table payments_journal; make it with'];
        $down = 'pgsql:host=127.0.0.1;port=1;dbname=shop;password=canary';
        yield 'no server' => [['list', '--database', $down], [], $here, 'journal', '(SQLSTATE 08006)'];
        yield 'no server to create in' => [['create', '--database', $down], [], $here, 'journal', '(SQLSTATE 08006)'];
    }

    public function testAMissingDriverIsNamed(): void
    {
        // Without the extensions of php.ini, which Debian loads one by one.
        $command = [PHP_BINARY, '-n', '-d', 'extension=ffi', self::program(), 'journal', 'create'];
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
        $words = $step['start'] ?? $step['full'] ?? $step['closed'] ?? ['journal', ...$step['run']];
        $line = match (true) {
            isset($step['full']) => ['sh', '-c', 'exec "$0" "$@" >/dev/full'],
            isset($step['closed']) => ['bash', '-c', 'exec > >(true); wait $!; exec "$0" "$@"'],
            default => [],
        };
        $command = [...$line, PHP_BINARY, self::program(), ...$words];
        $php = new Php($command, $database + $this->environment(), $this->configured());
        [$status, $output, $errors] = $php->result();
        $shown = json_encode($step) . "\n$output$errors";
        self::assertSame($step['exit_code'], $status, $shown);
        if (isset($step['shows'])) {
            foreach ($step['shows'] as $part) {
                self::assertStringContainsString($part, $output);
            }
            self::assertSame('', $errors);
            return;
        }
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
     * The exit code of the command, and its output.
     *
     * @param list<string> $arguments
     * @param array<string, string> $environment in addition to the library and the
     * database
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
        return dirname(__DIR__) . '/bin/payments';
    }

    /** @return array<string, string> */
    private function environment(): array
    {
        return [Loader::VARIABLE => Repository::built('libpayments.so'), self::DATABASE => $this->dsn('pgsql')];
    }

    /** A folder with a payments.json, unless the test removed it. */
    private function configured(): string
    {
        if (!$this->isConfigured) {
            $this->folder->file('payments.json', (string) json_encode(self::$sandbox->config()));
            $this->isConfigured = true;
        }
        return dirname($this->folder->file('payments.json'));
    }
}
