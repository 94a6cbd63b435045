<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * Where things are.
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
