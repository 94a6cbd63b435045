<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;

/**
 * The command `payments-journal`. The core reads and answers its arguments;
 * `create`, and where the database and the configuration are, belong to this
 * package.
 *
 * @internal
 */
final class JournalCommand
{
    private const DATABASE = 'PAYMENTS_JOURNAL_DATABASE';
    private const DEFAULT_FILE = 'payments.json';
    private const DRIVERS = ['pgsql', 'sqlite'];
    private const FAILED = 1;
    private const USAGE = 2;

    private const HELP = <<<'TEXT'
        Works with a journal in PostgreSQL or SQLite, through PDO.

        Usage: payments-journal COMMAND [OPTIONS]

        Commands:
          create              makes the table payments_journal, once
          list [--open]       lists entries, the oldest first
          show ID|REFERENCE   shows all entries of a reference, or the one with that id
          recover             finds out by queries what became of open entries
          resolve ID|REFERENCE --executed yes|no --note TEXT
                              records what a person found out about an open entry
          prune --before DATE [--dry-run] [--yes]
                              deletes old entries that are not open; --yes also those of
                              the last 30 days

        Options:
          --database DSN      the database as PDO names it; libpq reads PGUSER and
                              PGPASSWORD [default: PAYMENTS_JOURNAL_DATABASE]
          --config FILE       the configuration of the client [default: payments.json if
                              it exists, otherwise PAYMENTS_BASE_URL and so on]
          --json              prints JSON on a terminal too
          --help              prints this

        Exit codes: 1 failed, 2 invalid arguments or configuration, 3 an entry is still
        open after recover.

        Examples:
          payments-journal create --database 'pgsql:host=db.example;dbname=shop'
          payments-journal list --open
          payments-journal recover --config /etc/shop/payments.json
          payments-journal resolve payout-17 --executed yes --note 'on the platform'
          payments-journal resolve --from decisions.csv
          payments-journal follow --state follow.state
          payments-journal prune --before 2026-01-31 --dry-run

        TEXT;

    /** @param string $program the command as it was called */
    public function __construct(private string $program)
    {
    }

    /**
     * Prints the result, and returns the exit code.
     *
     * @param list<string> $arguments
     */
    public function run(array $arguments): int
    {
        try {
            [$arguments, $options] = self::split($arguments);
            if (($arguments[0] ?? null) === 'follow') {
                return $this->follow(array_slice($arguments, 1), $options);
            }
            if (in_array('--help', $arguments, true) || ($arguments[0] ?? null) === 'help') {
                Output::write(self::HELP);
                return 0;
            }
            return $this->act($arguments, $options);
        } catch (\InvalidArgumentException $error) {
            return self::report([
                'kind' => 'usage',
                'code' => ErrorCode::INVALID_ARGUMENTS,
                'message' => $error->getMessage(),
                'outcome' => PaymentsException::NOT_EXECUTED,
                'help' => Tables::HELP_BASE . ErrorCode::INVALID_ARGUMENTS,
            ], self::USAGE);
        } catch (OutputFailed $error) {
            return self::report([
                'kind' => 'io',
                'code' => ErrorCode::OUTPUT_FAILED,
                'message' => $error->getMessage(),
                'outcome' => PaymentsException::NOT_EXECUTED,
                'help' => Tables::HELP_BASE . ErrorCode::OUTPUT_FAILED,
            ], self::FAILED);
        } catch (JournalUnavailable $error) {
            $report = Report::local('journal', ErrorCode::UNAVAILABLE, $error->getMessage());
            return self::report(Report::exception($report)->toArray(), self::FAILED);
        } catch (PaymentsException $error) {
            return self::report($error->toArray(), $error instanceof ConfigException ? self::USAGE : self::FAILED);
        }
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $options
     */
    private function act(array $arguments, array $options): int
    {
        $words = array_values(array_diff($arguments, ['--json']));
        if ($words === []) {
            $message = 'give one of create, list, show, recover, resolve and prune; see --help';
            throw new \InvalidArgumentException($message);
        }
        $isForPeople = stream_isatty(STDOUT) && $words === $arguments;
        $journal = self::journal($options);
        if ($words[0] === 'create') {
            if (count($words) > 1) {
                throw new \InvalidArgumentException('create takes no arguments but --database; see --help');
            }
            $journal->create();
            Output::write($isForPeople ? "Made the table payments_journal.\n" : '{"table":"payments_journal"}' . "\n");
            return 0;
        }
        $output = self::client($options, $journal)->journal()->command($this->program, $arguments, $isForPeople);
        // The core names commands as `PROGRAM journal list`.
        $replaced = $isForPeople ? ["$this->program journal " => "$this->program "] : [];
        Output::write(strtr($output['stdout'], $replaced));
        fwrite(STDERR, $output['stderr']);
        return $output['exit_code'];
    }

    /**
     * Payments that are named need no journal, and the configuration may have one.
     *
     * @param list<string> $arguments
     * @param array<string, string> $options
     */
    private function follow(array $arguments, array $options): int
    {
        if (array_intersect(['--help', '-h'], $arguments) !== []) {
            $unused = new Client(['base_url' => 'http://127.0.0.1', 'integration_key' => 'unused']);
            return $unused->followAsCommand($arguments, false);
        }
        $hasDatabase = ($options['--database'] ?? (getenv(self::DATABASE) ?: null)) !== null;
        $client = self::client($options, $hasDatabase ? self::journal($options) : null);
        $isForPeople = stream_isatty(STDOUT) && !in_array('--json', $arguments, true);
        return $client->followAsCommand($arguments, $isForPeople);
    }

    /**
     * Separates the options of this package.
     *
     * @param list<string> $arguments
     * @return array{list<string>, array<string, string>}
     */
    private static function split(array $arguments): array
    {
        [$rest, $options] = [[], []];
        while ($arguments !== []) {
            $argument = array_shift($arguments);
            [$name, $value] = explode('=', $argument, 2) + [1 => null];
            if (!in_array($name, ['--config', '--database'], true)) {
                $rest[] = $argument;
                continue;
            }
            $options[$name] = $value ?? array_shift($arguments)
                ?? throw new \InvalidArgumentException("$name needs a value; see --help");
        }
        return [$rest, $options];
    }

    /** @param array<string, string> $options */
    private static function journal(array $options): PdoJournal
    {
        $dsn = $options['--database'] ?? (getenv(self::DATABASE) ?: null) ?? throw new \InvalidArgumentException(
            'give --database DSN or set ' . self::DATABASE . '; for a journal in a file, run payments journal',
        );
        $driver = (string) strstr($dsn, ':', true);
        if (!in_array($driver, self::DRIVERS, true)) {
            $message = 'the database must be a DSN of PDO such as pgsql:host=db.example;dbname=shop or sqlite:PATH';
            throw new \InvalidArgumentException($message);
        }
        if (!class_exists(\PDO::class) || !in_array($driver, \PDO::getAvailableDrivers(), true)) {
            $message = "PHP has no PDO driver $driver; install and enable the extension pdo_$driver";
            throw Report::exception(Report::local('config', ErrorCode::UNAVAILABLE, $message));
        }
        return new PdoJournal(static fn (): \PDO => new \PDO($dsn));
    }

    /** @param array<string, string> $options */
    private static function client(array $options, ?PdoJournal $journal): Client
    {
        $file = $options['--config'] ?? (is_file(self::DEFAULT_FILE) ? self::DEFAULT_FILE : null);
        if ($file === null && getenv('PAYMENTS_BASE_URL') === false) {
            $message = 'nothing is configured: give --config FILE, put ' . self::DEFAULT_FILE . ' into this folder, or '
                . 'set variables such as PAYMENTS_BASE_URL';
            throw Report::exception(Report::local('config', ErrorCode::REQUIRED, $message, 'base_url'));
        }
        return $file === null ? Client::fromEnv(journal: $journal) : Client::fromFile($file, journal: $journal);
    }

    /**
     * Prints the report of a failure, and returns the exit code.
     *
     * @param array<string, mixed> $report
     */
    private static function report(array $report, int $exit): int
    {
        $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR;
        fwrite(STDERR, json_encode($report, $flags) . "\n");
        return $exit;
    }
}
