<?php

declare(strict_types=1);

namespace Libpayments\Internal\Commands;

use Libpayments\Internal\ErrorCode;
use Libpayments\Internal\Tables;

/**
 * The command `payments explain`. It needs no library, and so explains why that
 * cannot be loaded.
 *
 * @internal
 */
final class Explanations
{
    private const FILE = __DIR__ . '/explanations.json';
    private const MOST_SUGGESTIONS = 3;
    private const LEAST_LIKENESS = 0.6;
    private const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    private const HELP = <<<'TEXT'
        Explains an error code: what happened, whether money may have moved, and what to do.

        Usage: %s [CODE] [--json]

        CODE      the `code` or `service_code` of an error; without it, lists all
        --json    prints JSON on a terminal too

        TEXT;

    /** The list of all, for people. */
    private string $list;

    /** @var list<array{text: string, json: array<string, mixed>}> */
    private array $codes;

    /** @var list<array{text: string, json: array<string, mixed>}> the codes, and those of the service */
    private array $entries;

    public function __construct()
    {
        $data = json_decode((string) file_get_contents(self::FILE), true, 8, JSON_THROW_ON_ERROR);
        ['list' => $this->list, 'codes' => $this->codes] = $data;
        $this->entries = [...$this->codes, ...$data['service_codes']];
    }

    /**
     * The output of the command with these words after its name.
     *
     * @param list<string> $words
     * @return array{stdout: string, stderr: string, exit_code: int}
     */
    public function explain(array $words, bool $isTerminal): array
    {
        $given = array_values(array_diff($words, ['--json']));
        if (in_array($given[0] ?? '', ['--help', '-h'], true)) {
            return self::printed(sprintf(self::HELP, Tables::EXPLAIN));
        }
        if (count($given) > 1) {
            return self::refused('give one code; see --help');
        }
        $isForPeople = $isTerminal && $given === $words;
        if ($given === []) {
            $list = $this->list . Tables::EXPLAIN . " CODE says what to do.\n";
            return self::printed($isForPeople ? $list : self::lineOf($this->codes));
        }
        $name = self::nameOf($given[0]);
        $found = $this->find($name);
        if ($found === []) {
            return self::refused("there is no error code $given[0]; " . $this->suggestion($name));
        }
        if ($isForPeople) {
            return self::printed(self::textOf($found, $name));
        }
        return self::printed(count($found) === 1 ? self::line($found[0]['json']) : self::lineOf($found));
    }

    /**
     * The entries of this code, and those that replaced it; the service may use the same word.
     *
     * @return list<array{text: string, json: array<string, mixed>}>
     */
    private function find(string $name): array
    {
        $is = static fn (array $entry): bool => self::nameOf($entry['json']['code']) === $name
            || self::was($entry, $name);
        return array_values(array_filter($this->entries, $is));
    }

    /** The code in lower case, without the kind before a slash. */
    private static function nameOf(string $code): string
    {
        return strtolower(basename($code));
    }

    /** @param array{json: array<string, mixed>} $entry */
    private static function was(array $entry, string $name): bool
    {
        return in_array($name, $entry['json']['was'] ?? [], true);
    }

    /** @param non-empty-list<array{text: string, json: array<string, mixed>}> $entries */
    private static function textOf(array $entries, string $name): string
    {
        $new = array_filter($entries, static fn (array $entry): bool => self::was($entry, $name));
        $now = implode(' or ', array_column(array_column($new, 'json'), 'code'));
        return ($new === [] ? '' : "$name is now $now.\n\n") . implode("\n", array_column($entries, 'text'));
    }

    private function suggestion(string $name): string
    {
        $codes = array_column(array_column($this->entries, 'json'), 'code');
        $likeness = static fn (string $code): float => self::likeness($name, self::nameOf($code));
        $rated = array_combine($codes, array_map($likeness, $codes));
        $near = array_filter($rated, static fn (float $rating): bool => $rating >= self::LEAST_LIKENESS);
        arsort($near);
        $nearest = array_slice(array_keys($near), 0, self::MOST_SUGGESTIONS);
        $advice = '`' . Tables::EXPLAIN . '` lists all';
        return $nearest === [] ? $advice : 'did you mean ' . implode(' or ', $nearest) . "? $advice";
    }

    /** The share of pairs of neighboring letters that two names have in common. */
    private static function likeness(string $one, string $other): float
    {
        [$pairs, $others] = array_map(static function (string $name): array {
            $pairs = array_map(static fn (int $at): string => substr($name, $at, 2), range(0, strlen($name)));
            return array_unique(array_filter($pairs, static fn (string $pair): bool => strlen($pair) === 2));
        }, [$one, $other]);
        return 2 * count(array_intersect($pairs, $others)) / max(count($pairs) + count($others), 1);
    }

    /** @param list<array{json: array<string, mixed>}> $entries */
    private static function lineOf(array $entries): string
    {
        return self::line(['codes' => array_column($entries, 'json')]);
    }

    /** @param array<string, mixed> $json */
    private static function line(array $json): string
    {
        return json_encode($json, self::JSON) . "\n";
    }

    /** @return array{stdout: string, stderr: string, exit_code: int} */
    private static function printed(string $stdout): array
    {
        return ['stdout' => $stdout, 'stderr' => '', 'exit_code' => 0];
    }

    /** @return array{stdout: string, stderr: string, exit_code: int} */
    private static function refused(string $message): array
    {
        $code = ErrorCode::INVALID_ARGUMENTS;
        $report = [
            'kind' => 'usage',
            'code' => $code,
            'message' => $message,
            'outcome' => 'not_executed',
            'help' => Tables::EXPLAIN . " $code",
        ];
        return ['stdout' => '', 'stderr' => self::line($report), 'exit_code' => 2];
    }
}
