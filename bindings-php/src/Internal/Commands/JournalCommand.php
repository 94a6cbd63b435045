<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

use Libpayments\Client;
use Libpayments\Exception\LibraryException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Tables;
use Libpayments\JournalUnavailable;
use Libpayments\PdoJournal;

/**
 * The commands `payments journal`, `follow` and `explain`. The core reads the
 * arguments and does the work; this opens the database.
 *
 * @internal
 */
final class JournalCommand
{
    private const EXAMPLE = 'pgsql:host=db.example;dbname=shop';
    private const DRIVERS = ['pgsql', 'sqlite'];

    /** @param string $program the command as people type it */
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
            return $this->perform($arguments);
        } catch (CommandProblem $error) {
            $failed = ['problem' => $error->problem, 'message' => $error->getMessage()];
        } catch (JournalUnavailable $error) {
            $failed = ['problem' => 'journal', 'message' => $error->getMessage()];
        } catch (PaymentsException $error) {
            $failed = ['report' => $error->toArray()];
        }
        if ($error instanceof LibraryException) {
            return self::show(LocalFailure::printed($error->toArray()));
        }
        $printed = Client::ofCommand('payments_journal_failure', $failed + ['explain' => Tables::EXPLAIN]);
        Output::complain($printed);
        return $printed['exit_code'];
    }

    /** @param list<string> $arguments */
    private function perform(array $arguments): int
    {
        $plan = Client::ofCommand('payments_journal_plan', [
            'program' => $this->program,
            'arguments' => $arguments,
            'database' => self::EXAMPLE,
            'is_terminal' => stream_isatty(STDOUT),
            'explain' => Tables::EXPLAIN,
        ]);
        if ($plan['exit_code'] !== null) {
            return self::show($plan);
        }
        $journal = $plan['database'] === null ? null : self::journal($plan['database']);
        if (in_array($plan['action'], ['create', 'upgrade'], true)) {
            $plan['action'] === 'create' ? $journal?->create() : $journal?->upgrade();
            return self::show(['exit_code' => 0, 'stderr' => ''] + $plan);
        }
        $client = Client::fromSources($plan['file'], $plan['with_env'], $journal);
        return $plan['action'] === 'follow'
            ? $client->followAsCommand($plan['arguments'], $plan['is_terminal'])
            : self::show($client->journal()->command($plan['program'], $plan['arguments'], $plan['is_terminal']));
    }

    /** @param array<string, mixed> $printed */
    private static function show(array $printed): int
    {
        if ($printed['stdout'] !== '') {
            ($printed['is_list'] ?? false)
                ? Output::writeList($printed['stdout'])
                : Output::write($printed['stdout']);
        }
        Output::complain($printed);
        return $printed['exit_code'];
    }

    private static function journal(string $dsn): PdoJournal
    {
        $driver = (string) strstr($dsn, ':', true);
        if (!in_array($driver, self::DRIVERS, true)) {
            $message = 'the database must be a DSN of PDO such as ' . self::EXAMPLE . ' or sqlite:PATH';
            throw new CommandProblem('database', $message);
        }
        if (!class_exists(\PDO::class) || !in_array($driver, \PDO::getAvailableDrivers(), true)) {
            $message = "PHP has no PDO driver $driver; install and enable the extension pdo_$driver";
            throw new CommandProblem('driver', $message);
        }
        return new PdoJournal(
            static fn (int $seconds): \PDO => new \PDO($dsn, null, null, [\PDO::ATTR_TIMEOUT => $seconds])
        );
    }
}
