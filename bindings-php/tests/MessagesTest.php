<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The messages of `tests/messages/php.txt`, which only this package shows.
 */
final class MessagesTest extends TestCase
{
    private const FILE = 'messages/php.txt';

    /** A program that loads the library. */
    private const PROGRAM = <<<'PHP'
        try {
            Libpayments\Library::version();
        } catch (Libpayments\Exception\LibraryException $error) {
            echo "LibraryException: {$error->getMessage()}\n";
        }
        PHP;

    public function testEveryMessageIsAsListed(): void
    {
        $parts = self::parts();
        self::assertGreaterThan(1, count($parts));
        $sandbox = new Sandbox();
        $found = array_shift($parts);
        foreach ($parts as $case) {
            $found .= $this->transcript($sandbox, $case);
        }
        if (getenv('UPDATE') !== false) {
            file_put_contents(Repository::shared(self::FILE), $found);
        }
        self::assertStringEqualsFile(Repository::shared(self::FILE), $found);
    }

    /**
     * The head of the file, and its cases.
     *
     * @return list<string>
     */
    private static function parts(): array
    {
        $text = (string) file_get_contents(Repository::shared(self::FILE));
        return preg_split('/^(?=== )/m', $text) ?: [];
    }

    private function transcript(Sandbox $sandbox, string $case): string
    {
        $sandbox->reset();
        $config = $sandbox->config();
        $client = new Client($config, shared: false);
        $folder = new Folder();
        $program = 'require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';' . self::PROGRAM;
        $folder->file('pay.php', "<?php $program");
        $transcript = '';
        // The lines of a statement continue with two spaces; known messages are left
        // out.
        preg_match_all('/^(?!! ).*\n(?:  .*\n)*/m', $case, $lines);
        foreach ($lines[0] as $line) {
            $code = str_replace("\n  ", "\n", substr($line, 2, -1));
            $transcript .= $line . match (substr($line, 0, 2)) {
                '$ ' => self::exceptionOf($code, $client, $config),
                '% ' => self::outputOf($code, $folder),
                default => '',
            };
            if (str_starts_with($line, 'service fails ')) {
                $fault = json_decode(substr($line, 14), true, 64, JSON_THROW_ON_ERROR);
                $sandbox->call('POST', '/sandbox/faults', ['path' => '/ws/*', 'then' => [$fault]]);
            }
        }
        return strtr($transcript, [
            ':' . parse_url($config['base_url'], PHP_URL_PORT) => ':{service}',
            dirname($folder->file('pay.php')) => '{folder}',
            Repository::root() => '{repository}',
            php_uname('m') => '{machine}',
            (string) php_ini_loaded_file() => '{php.ini}',
        ]);
    }

    /**
     * The exception of a statement of the file.
     *
     * @param array<string, mixed> $config
     */
    private static function exceptionOf(string $code, Client $client, array $config): string
    {
        try {
            (static function (Client $client, array $config, array $payment) use ($code): void {
                eval('use Libpayments\{CallbackSigner, Client};'
                    . 'use Libpayments\Tests\Support\{SuspendingStore, Watched};' . $code);
            })($client, $config, Samples::payment());
            return '';
        } catch (\Throwable $thrown) {
            $class = (new \ReflectionClass($thrown))->getShortName();
            return self::quoted("$class: {$thrown->getMessage()}");
        }
    }

    /** All that a script writes. */
    private static function outputOf(string $script, Folder $folder): string
    {
        $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
        $running = new Php(['sh', '-c', $script], $environment, dirname($folder->file('pay.php')));
        [, $output, $errors] = $running->result();
        return self::quoted(rtrim($output . $errors));
    }

    private static function quoted(string $text): string
    {
        return $text === '' ? '' : '! ' . str_replace("\n", "\n! ", $text) . "\n";
    }
}
