<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * The files of the repository and of its build.
 */
final class Repository
{
    /** The root of the repository. */
    public static function root(): string
    {
        return dirname(__DIR__, 3);
    }

    /** A file that all languages share. */
    public static function shared(string $path): string
    {
        return self::root() . "/tests/$path";
    }

    /** A key for tests. */
    public static function key(string $name): string
    {
        return self::shared("vectors/keys/$name");
    }

    /** @return array<string, mixed> */
    public static function manifest(): array
    {
        return json_decode((string) file_get_contents(self::shared('manifest.json')), true, 64, JSON_THROW_ON_ERROR);
    }

    /**
     * The level of this package, with everything of those before it. Scenarios and functions
     * are names; each file of cases has the number of its cases.
     *
     * @return array{scenarios: list<string>, functions: list<string>, cases: array<string, int>,
     *     databases: list<string>}
     */
    public static function level(): array
    {
        $manifest = self::manifest();
        $own = $manifest['languages']['php'];
        $until = array_search($own['level'], array_column($manifest['levels'], 'name'), true);
        $levels = array_slice($manifest['levels'], 0, $until + 1);
        $names = array_column($levels, 'name');
        $isOurs = static fn (array $function): bool => in_array($function['level'], $names, true);
        $scenarios = array_merge(...array_column($levels, 'scenarios'));
        sort($scenarios);
        return [
            'scenarios' => $scenarios,
            'functions' => array_column(array_filter($manifest['functions'], $isOurs), 'name'),
            'cases' => array_merge(...array_column($levels, 'cases')),
            'databases' => $own['databases'],
        ];
    }

    /** The folder that everything was built into. */
    public static function built(string $file): string
    {
        $folder = getenv('LIBPAYMENTS_BUILT');
        if ($folder === false || !is_file("$folder/$file")) {
            throw new \RuntimeException("$folder/$file is missing: run the tests by scripts/test-php.sh, which builds "
                . 'it and sets LIBPAYMENTS_BUILT');
        }
        return "$folder/$file";
    }
}
