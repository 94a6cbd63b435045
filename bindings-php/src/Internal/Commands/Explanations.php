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
    private const WIDTH = 80;
    /** The column of the texts in the list. */
    private const COLUMN = 30;
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

    /** @var list<array{string, string}> members of an entry and their headings */
    private array $headings;

    /** @var list<array{title: string, codes: list<array<string, mixed>>}> */
    private array $subjects;

    /** @var list<array<string, mixed>> */
    private array $codes;

    /** @var list<array<string, mixed>> the codes, and those of the service */
    private array $entries;

    public function __construct()
    {
        $data = json_decode((string) file_get_contents(self::FILE), true, 8, JSON_THROW_ON_ERROR);
        ['headings' => $this->headings, 'subjects' => $this->subjects] = $data;
        $this->codes = array_merge(...array_column($this->subjects, 'codes'));
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
            return self::printed($isForPeople ? $this->list() : self::line(['codes' => $this->codes]));
        }
        $name = self::nameOf($given[0]);
        $found = $this->find($name);
        if ($found === []) {
            return self::refused("there is no error code $given[0]; " . $this->suggestion($name));
        }
        if ($isForPeople) {
            return self::printed($this->textOf($found, $name));
        }
        return self::printed(self::line(count($found) === 1 ? $found[0] : ['codes' => $found]));
    }

    /**
     * Those with this code, and those that it is now: the service may have the same word.
     *
     * @return list<array<string, mixed>>
     */
    private function find(string $name): array
    {
        $is = static fn (array $entry): bool => self::nameOf($entry['code']) === $name || self::was($entry, $name);
        return array_values(array_filter($this->entries, $is));
    }

    /** In lower case, without the kind before a slash. */
    private static function nameOf(string $code): string
    {
        return strtolower(basename($code));
    }

    /** @param array<string, mixed> $entry */
    private static function was(array $entry, string $name): bool
    {
        return in_array($name, $entry['was'] ?? [], true);
    }

    private function list(): string
    {
        $text = '';
        foreach ($this->subjects as ['title' => $title, 'codes' => $codes]) {
            $text .= "$title\n";
            foreach ($codes as ['code' => $code, 'cause' => $cause]) {
                $rest = "\n" . str_repeat(' ', self::COLUMN);
                $cause = wordwrap(preg_split('/[:.](?: |$)/', $cause)[0], self::WIDTH - self::COLUMN, $rest);
                $text .= str_pad("  $code", self::COLUMN) . "$cause\n";
            }
            $text .= "\n";
        }
        return $text . Tables::EXPLAIN . " CODE says what to do.\n";
    }

    /** @param non-empty-list<array<string, mixed>> $entries */
    private function textOf(array $entries, string $name): string
    {
        $new = array_filter($entries, static fn (array $entry): bool => self::was($entry, $name));
        $earlier = $new === [] ? '' : "$name is now " . implode(' or ', array_column($new, 'code')) . ".\n\n";
        return $earlier . implode("\n", array_map($this->textOfEntry(...), $entries));
    }

    /** @param array<string, mixed> $entry */
    private function textOfEntry(array $entry): string
    {
        $text = "$entry[code] ($entry[kind])\n";
        foreach ($this->headings as [$member, $heading]) {
            $paragraphs = (array) ($entry[$member] ?? []);
            $text .= $paragraphs === [] ? '' : "\n$heading\n";
            foreach ($paragraphs as $paragraph) {
                $text .= '  ' . wordwrap($paragraph, self::WIDTH - 2, "\n  ") . "\n";
            }
        }
        return $text;
    }

    private function suggestion(string $name): string
    {
        $likeness = static fn (array $entry): float => self::likeness($name, self::nameOf($entry['code']));
        $rated = array_combine(array_column($this->entries, 'code'), array_map($likeness, $this->entries));
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
