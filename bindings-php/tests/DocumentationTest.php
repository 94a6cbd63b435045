<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Repository;
use PHPUnit\Framework\TestCase;

/**
 * The PHP of the pages and READMEs is PHP, and names classes that exist.
 */
final class DocumentationTest extends TestCase
{
    /** @dataProvider pages */
    public function testEveryBlockIsPhp(string $page): void
    {
        foreach (self::blocks($page) as $block) {
            $code = str_starts_with($block, '<?php') ? $block : "<?php\n$block";
            self::assertNotSame([], token_get_all($code, TOKEN_PARSE));
            foreach (self::classes($block) as $class) {
                // Those of a framework derive from its classes, which are not here.
                $file = strtr(substr($class, strlen('Libpayments\\')), '\\', '/') . '.php';
                $exists = is_file(dirname(__DIR__) . "/frameworks/$file")
                    || class_exists($class) || interface_exists($class) || trait_exists($class);
                self::assertTrue($exists, "$page: no class $class");
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        $root = Repository::root();
        $named = ["$root/README.md", "$root/bindings-php/README.md"];
        foreach ([...$named, ...glob("$root/docs/*.md"), ...glob("$root/docs/*/*.md")] as $page) {
            $name = substr($page, strlen($root) + 1);
            if (self::blocks($name) !== []) {
                yield $name => [$name];
            }
        }
    }

    public function testTheTeachingPagesHavePhp(): void
    {
        $pages = array_keys(iterator_to_array(self::pages()));
        $wanted = ['README.md', 'bindings-php/README.md', 'docs/getting-started/php.md', 'docs/keys.md'];
        self::assertSame([], array_values(array_diff($wanted, $pages)));
    }

    /** @return list<string> */
    private static function blocks(string $page): array
    {
        $text = (string) file_get_contents(Repository::root() . "/$page");
        preg_match_all('/^```php[^\n]*\n(.*?)^```$/ms', $text, $found);
        return $found[1];
    }

    /** @return list<string> the classes of the package that the code names in full, also in groups */
    private static function classes(string $code): array
    {
        preg_match_all('/\bLibpayments\\\\[\w\\\\]*\w(?=\s*(?:::|;|\s\$))/', $code, $plain);
        preg_match_all('/\b(Libpayments\\\\[\w\\\\]*)\{([^}]*)\}/', $code, $groups, PREG_SET_ORDER);
        $classes = $plain[0];
        foreach ($groups as [, $namespace, $names]) {
            foreach (explode(',', $names) as $name) {
                $classes[] = $namespace . trim($name);
            }
        }
        return $classes;
    }
}
