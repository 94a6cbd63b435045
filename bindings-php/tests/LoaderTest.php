<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Functions;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use PHPUnit\Framework\TestCase;

/**
 * The loader's message for each possible fault, in a process that has it.
 */
final class LoaderTest extends TestCase
{
    private const PROBE = <<<'PHP'
        try {
            echo 'loaded ' . Libpayments\Library::version() . ' from ' . Libpayments\Library::file();
        } catch (Libpayments\Exception\LibraryException $error) {
            echo $error->getKind(), ' ', $error->getErrorCode(), ' ', $error->getMessage();
        }
        PHP;

    /** A program whose error handler throws, even for warnings that `@` silences. */
    private const THROWING = 'set_error_handler(static function (int $level, string $text, string $file, int $line) { '
        . 'throw new ErrorException($text, 0, $level, $file, $line); });';

    /** Functions that autoloading needs. */
    private const BASIC = ['function_exists', 'is_file', 'str_starts_with'];

    private Folder $folder;

    protected function setUp(): void
    {
        $this->folder = new Folder();
    }

    public function testTheLibraryIsFoundByTheEnvironment(): void
    {
        $library = $this->library();
        self::assertMatchesRegularExpression('/^loaded \d+\.\d+\.\d+ from /', $this->probe($library));
    }

    public function testTheLibraryIsFoundByItsName(): void
    {
        copy($this->library(), $this->folder->file(Loader::SONAME));
        $found = Php::run($this->code(), [], ['LD_LIBRARY_PATH' => dirname($this->folder->file('x'))]);
        self::assertStringEndsWith('from ' . Loader::SONAME, $found);
    }

    public function testAPublishedPackageHoldsTheLibrary(): void
    {
        $package = $this->folder->file('package');
        Php::output(['cp', '-r', dirname(__DIR__), $package]);
        $own = "$package/lib/" . php_uname('m') . '-gnu/' . Loader::SONAME;
        mkdir(dirname($own), 0777, true);
        copy($this->library(), $own);
        self::assertStringEndsWith("from $own", Php::run("require '$package/autoload.php';" . self::PROBE));
        $declarations = Php::output([PHP_BINARY, "$package/bin/libpayments-preload"]);
        self::assertStringContainsString("#define FFI_LIB \"$own\"\n", $declarations);
    }

    public function testAPathThatPhpCannotPreloadIsRefused(): void
    {
        foreach (['a b', 'a"b', 'a\\b'] as $name) {
            mkdir($this->folder->file($name));
            $library = $this->folder->file("$name/libpayments.so", '');
            $command = [PHP_BINARY, dirname(__DIR__) . '/bin/libpayments-preload', $library];
            [$status, $output, $errors] = (new Php($command))->result();
            self::assertSame([1, ''], [$status, $output], $name);
            self::assertStringContainsString('copy it to a folder without them', $errors);
        }
    }

    public function testAPublishedPackageThatMayNotAskForTheLibcTriesBoth(): void
    {
        $package = $this->folder->file('package');
        Php::output(['cp', '-r', dirname(__DIR__), $package]);
        $probe = self::THROWING . "require '$package/autoload.php';" . self::PROBE;
        $options = ['-d', "open_basedir=$package"];
        $musl = "$package/lib/" . php_uname('m') . '-musl/' . Loader::SONAME;
        mkdir(dirname($musl), 0777, true);
        copy($this->library(), $musl);
        self::assertStringEndsWith("from $musl", Php::run($probe, $options));

        $gnu = "$package/lib/" . php_uname('m') . '-gnu/' . Loader::SONAME;
        mkdir(dirname($gnu), 0777, true);
        $source = $this->folder->file('other.c', 'int something_else(void) { return 0; }');
        Php::output(['gcc', '-shared', '-fPIC', '-o', $gnu, $source]);
        self::assertStringEndsWith("from $musl", Php::run($probe, $options));
        copy($gnu, $musl);
        $said = Php::run($probe, $options);
        self::assertStringStartsWith("config library_not_loaded could not load $gnu", $said);
    }

    public function testALibraryOutsideOfOpenBasedirIsLoaded(): void
    {
        $options = ['-d', 'open_basedir=' . dirname(__DIR__)];
        $library = $this->library();
        $found = Php::run($this->code(), $options, [Loader::VARIABLE => $library]);
        self::assertStringEndsWith("from $library", $found);
        copy($library, $this->folder->file(Loader::SONAME));
        $folder = dirname($this->folder->file('x'));
        $found = Php::run($this->code(), $options, ['LD_LIBRARY_PATH' => $folder]);
        self::assertStringEndsWith('from ' . Loader::SONAME, $found);
        $code = 'Libpayments\\Library::useFile(' . var_export(Loader::SONAME, true) . ');';
        $command = [PHP_BINARY, '-d', 'display_errors=stderr', ...$options, '-r', $this->code($code)];
        self::assertStringEndsWith('from ./' . Loader::SONAME, (new Php($command, [], $folder))->end());
    }

    public function testOpenBasedirIsNamedIfItHidesTheLibrary(): void
    {
        $options = ['-d', 'open_basedir=' . dirname(__DIR__)];
        $source = $this->folder->file('other.c', 'int something_else(void) { return 0; }');
        Php::output(['gcc', '-shared', '-fPIC', '-o', $this->folder->file('other.so'), $source]);
        $other = $this->folder->file('other.so');
        foreach (['/nowhere/libpayments.so.0', $other, __DIR__ . '/none.so', '/usr/lib'] as $path) {
            $isHidden = !str_starts_with($path, dirname(__DIR__));
            $said = Php::run($this->code(), $options, [Loader::VARIABLE => $path]);
            $code = $isHidden ? 'library_not_loaded' : 'library_not_loaded';
            self::assertStringStartsWith("config $code ", $said);
            self::assertStringContainsString($path, $said);
            self::assertSame($isHidden, str_contains($said, 'add its folder to open_basedir'), $said);
        }
        $old = Php::run($this->code(), $options, [Loader::VARIABLE => $this->compiled(Loader::ABI_VERSION)]);
        self::assertStringStartsWith('config library_version ', $old);
    }

    public function testALibraryInAPharIsNamed(): void
    {
        $phar = $this->folder->file('shop.phar');
        $in = 'lib/' . php_uname('m') . '-gnu/' . Loader::SONAME;
        $make = '$phar = new Phar(' . var_export($phar, true) . '); $phar->buildFromDirectory('
            . var_export(dirname(__DIR__), true) . ', "~/(src|autoload)~"); $phar->addFile('
            . var_export($this->library(), true) . ", '$in');";
        Php::run($make, ['-d', 'phar.readonly=0']);
        $program = self::THROWING . "require 'phar://$phar/autoload.php';" . self::PROBE;
        $said = Php::run($program);
        self::assertStringStartsWith("config library_not_loaded phar://$phar/$in, named by the package, is ", $said);
        self::assertStringContainsString('copy it to a folder', $said);
        self::assertStringContainsString(Loader::VARIABLE, $said);
        $named = Php::run($this->code(), [], [Loader::VARIABLE => "phar://$phar/$in"]);
        self::assertStringContainsString('is inside of an archive', $named);
        copy($this->library(), $this->folder->file(Loader::SONAME));
        $found = Php::run($program, [], ['LD_LIBRARY_PATH' => dirname($phar)]);
        self::assertStringEndsWith('from ' . Loader::SONAME, $found);
        $found = Php::run($program, [], [Loader::VARIABLE => $this->library()]);
        self::assertStringEndsWith('from ' . realpath($this->library()), $found);
    }

    public function testAFileNamedInCodeIsUsed(): void
    {
        $code = 'Libpayments\Library::useFile(' . var_export($this->library(), true) . ');';
        self::assertStringStartsWith('loaded', Php::run($this->code($code)));
    }

    public function testASecondFileIsRefused(): void
    {
        $code = 'Libpayments\Library::version(); try { Libpayments\Library::useFile("/other.so"); } '
            . 'catch (Libpayments\Exception\LibraryException $error) { echo $error->getErrorCode(), "\n"; }';
        $said = Php::run($this->code($code), [], [Loader::VARIABLE => $this->library()]);
        self::assertStringStartsWith("library_not_loaded\n", $said);
    }

    /** @dataProvider functions */
    public function testADisabledFunctionIsNamed(string $function): void
    {
        $options = ['-d', "disable_functions=$function"];
        $named = [Loader::VARIABLE => $this->library()];
        foreach ([$named, [], [Loader::VARIABLE => '/nowhere/libpayments.so.0']] as $environment) {
            $said = Php::run($this->code(), $options, $environment);
            self::assertMatchesRegularExpression(
                "/^(loaded |config (library_not_loaded|ffi_disabled $function\(\) .*; remove $function) )/",
                $said,
            );
        }
    }

    /** @return array<string, array{string}> every function that only the loader calls */
    public static function functions(): array
    {
        $functions = [];
        foreach (['Loader', 'LibraryFile'] as $class) {
            $source = (string) file_get_contents(dirname(__DIR__) . "/src/Internal/$class.php");
            preg_match_all('/(?<![\w>:$])(?<!function |new )([a-z_0-9]+)\(/', $source, $found);
            $called = array_filter($found[1], 'function_exists');
            foreach (array_diff($called, self::BASIC, Functions::NEEDED) as $function) {
                $functions[$function] = [$function];
            }
        }
        return $functions;
    }

    public function testAMissingLibraryNamesThePlacesSearched(): void
    {
        // A name that no system has, in a copy of the package.
        $package = $this->folder->file('package');
        Php::output(['cp', '-r', dirname(__DIR__), $package]);
        $loader = "$package/src/Internal/Loader.php";
        $source = (string) file_get_contents($loader);
        file_put_contents($loader, str_replace("'libpayments.so.0'", "'libpayments-absent.so.0'", $source));
        $said = Php::run("require '$package/autoload.php';" . self::PROBE);
        self::assertStringStartsWith('config library_not_loaded ', $said);
        foreach (["$package/lib/", '/usr/local/lib/', '/usr/lib/', Loader::VARIABLE, 'useFile'] as $named) {
            self::assertStringContainsString($named, $said);
        }
    }

    public function testTheVersionOfTheInterfaceIsThatOfTheLibrary(): void
    {
        $version = trim((string) file_get_contents(Repository::root() . '/ffi-c/abi/version'));
        self::assertSame($version, (string) Loader::ABI_VERSION);
        self::assertSame("libpayments.so.$version", Loader::SONAME);
    }

    public function testAnOlderLibraryWithoutAFunctionIsRefused(): void
    {
        $library = $this->compiled(Loader::ABI_VERSION);
        $said = $this->probe($library);
        self::assertStringStartsWith('config library_version ', $said);
        // The system's loader does not look for a bare name in the working folder.
        $here = 'chdir(' . var_export(dirname($library), true) . ');';
        $bare = Php::run($this->code($here), [], [Loader::VARIABLE => basename($library)]);
        self::assertSame($said, $bare);
        self::assertStringContainsString('9.9.9', $said);
    }

    public function testAFileThatMayNotBeReadNamesTheRemedy(): void
    {
        $file = $this->folder->file('secret.so', 'x');
        chmod($file, 0);
        // Root may read everything, so the process switches to another user, who may not be able
        // to read this checkout.
        $package = $this->folder->copy(dirname(__DIR__), 'package');
        $become = 'if (posix_geteuid() === 0) { posix_setuid(65534); }';
        $code = "require '$package/autoload.php';" . $become . self::PROBE;
        $said = Php::run($code, [], [Loader::VARIABLE => $file]);
        self::assertStringStartsWith('config library_not_loaded ', $said);
        self::assertStringContainsString('chmod', $said);
    }

    public function testTheCommittedDeclarationsForPreloadingAreCurrent(): void
    {
        $package = dirname(__DIR__);
        $written = Php::output([PHP_BINARY, "$package/bin/libpayments-preload"]);
        self::assertSame($written, (string) file_get_contents("$package/src/payments_preload.h"));
    }

    private function library(): string
    {
        return Repository::built('libpayments.so');
    }

    private function probe(string $library): string
    {
        return Php::run($this->code(), [], [Loader::VARIABLE => $library]);
    }

    private function code(string $before = ''): string
    {
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        return self::THROWING . "require $autoload;" . $before . self::PROBE;
    }

    private function compiled(int $abiVersion): string
    {
        $source = $this->folder->file('stub.c', 'unsigned payments_abi_version(void) { return ' . $abiVersion . '; }'
            . 'const char *payments_version(void) { return "9.9.9"; }');
        Php::output(['gcc', '-shared', '-fPIC', '-o', $this->folder->file('stub.so'), $source]);
        return $this->folder->file('stub.so');
    }
}
