<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use PHPUnit\Framework\TestCase;

/**
 * The package as Composer installs it.
 */
final class PackageTest extends TestCase
{
    /** The one file that holds no class. */
    private const FUNCTIONS = 'functions.php';

    public function testComposerInstallsIt(): void
    {
        $folder = new Folder();
        $project = dirname($folder->file('x'));
        $folder->file('composer.json', (string) json_encode([
            'require' => ['libpayments/libpayments' => '*@dev'],
            'repositories' => [
                ['type' => 'path', 'url' => dirname(__DIR__), 'options' => ['symlink' => false]],
                ['packagist.org' => false],
            ],
        ]));
        Php::output(['composer', 'install', '--no-interaction', '--quiet', "--working-dir=$project"], [
            'COMPOSER_ALLOW_SUPERUSER' => '1',
            'COMPOSER_HOME' => $folder->file('home'),
        ]);
        $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
        $code = "require '$project/vendor/autoload.php'; echo Libpayments\\Library::version();";
        self::assertMatchesRegularExpression('/^\d+\.\d+\.\d+$/', Php::run($code, [], $environment));
        $declarations = Php::output([PHP_BINARY, "$project/vendor/bin/libpayments-preload"]);
        self::assertStringStartsWith('#define FFI_SCOPE "LIBPAYMENTS"', $declarations);
        $help = Php::output([PHP_BINARY, "$project/vendor/bin/payments", '--help'], $environment);
        self::assertStringContainsString(' journal COMMAND [OPTIONS]', $help);
    }

    public function testEveryFileIsStrictAndHoldsTheClassOfItsName(): void
    {
        foreach ($this->files() as $file) {
            self::assertStringContainsString("\ndeclare(strict_types=1);\n", (string) file_get_contents($file));
            if (str_contains($file, '/src/') && basename($file) !== self::FUNCTIONS) {
                $name = 'Libpayments\\' . strtr(substr(explode('/src/', $file)[1], 0, -4), '/', '\\');
                self::assertTrue(class_exists($name) || interface_exists($name) || trait_exists($name), $name);
                self::assertNotFalse((new \ReflectionClass($name))->getDocComment(), "$name has no docblock");
            }
        }
    }

    public function testNoNameOfAClassStandsInAString(): void
    {
        // Tools that prefix a copy of the package change names in code, and few strings.
        $inStrings = [T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE];
        $all = 0;
        foreach (array_filter($this->files(), static fn (string $it): bool => str_contains($it, '/src/')) as $file) {
            foreach (\PhpToken::tokenize((string) file_get_contents($file)) as $token) {
                if ($token->is($inStrings)) {
                    self::assertStringNotContainsString('Libpayments\\', $token->text, $file);
                    $all++;
                }
            }
        }
        self::assertGreaterThan(1000, $all);
    }

    public function testEveryPublicMethodIsDocumented(): void
    {
        foreach ($this->files() as $file) {
            $isForUsers = str_contains($file, '/src/') && !str_contains($file, '/src/Internal/');
            if (!$isForUsers || basename($file) === self::FUNCTIONS) {
                continue;
            }
            $name = 'Libpayments\\' . strtr(substr(explode('/src/', $file)[1], 0, -4), '/', '\\');
            foreach ((new \ReflectionClass($name))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
                $isOwn = $method->getDeclaringClass()->getName() === $name && $method->getFileName() === $file;
                $isInherited = $method->hasPrototype() || $method->isConstructor();
                if ($isOwn && !$isInherited) {
                    self::assertNotFalse($method->getDocComment(), "$name::{$method->getName()} has no docblock");
                }
            }
        }
    }

    /** @return list<string> */
    private function files(): array
    {
        $package = dirname(__DIR__);
        $files = [];
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($package)) as $file) {
            if ($file->getExtension() === 'php') {
                $files[] = $file->getPathname();
            }
        }
        self::assertNotSame([], $files);
        return $files;
    }
}
