<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\RecordingLogger;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Runs the examples and the first payments of the pages as a merchant would.
 */
final class ExamplesTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
        $this->folder->file('payments.json', (string) json_encode($this->sandbox->config()));
    }

    public function testTheLogHasEveryEvent(): void
    {
        (new Client($this->sandbox->config()))->createPayment(Samples::payment(['merchant_payment_code' => 'order-7']));
        [$status, $output] = $this->example('events.php', 'order-7');
        self::assertSame(0, $status, $output);
        $subject = '{"call":1,"reference":"order-7","hash":';
        $began = "debug   payments: request_started {$subject}null,"
            . '"operation":"query_payment","method":"GET","path":"/ws/query","host":';
        self::assertStringContainsString($began, $output);
        self::assertStringContainsString("debug   payments: token_fetched {$subject}null,\"duration_us\":", $output);
        self::assertStringContainsString("info    payments: request_ended $subject\"", $output);
        $this->sandbox->text('POST', '/sandbox/tokens/block', ['status' => 429]);
        [$status, $output] = $this->example('events.php', 'order-7');
        self::assertSame(1, $status, $output);
        self::assertStringContainsString("warning payments: token_failed {$subject}null,\"kind\":\"token\"", $output);
        self::assertStringContainsString("warning payments: request_ended {$subject}null,", $output);
    }

    public function testTheLoggerOfTheReadmeGetsEvents(): void
    {
        require_once 'Psr/Log/autoload.php';
        $logger = new RecordingLogger();
        $client = null;
        $folder = (string) getcwd();
        chdir(dirname($this->folder->file('payments.json', (string) json_encode($this->sandbox->config()))));
        try {
            eval($this->snippet('$client = Libpayments\\Client::fromFile(\'payments.json\', logger'));
        } finally {
            chdir($folder);
        }
        $client->createPayment(Samples::payment());
        [, $text] = end($logger->records);
        self::assertMatchesRegularExpression('/^request_ended call=\d+ reference=order-1001 hash=\w+ /', $text);
    }

    public function testTheReadmeNeedsTenLinesFromInstallationToTheFirstPayment(): void
    {
        $readme = (string) file_get_contents(Repository::root() . '/bindings-php/README.md');
        self::assertSame(1, preg_match('/```sh\n(.*?)```\n+```php\n(.*?)```/s', $readme, $found));
        $lines = array_filter(explode("\n", $found[1] . $found[2]), static fn (string $line): bool => $line !== '');
        self::assertLessThanOrEqual(10, count($lines));
    }

    public function testTheFirstPaymentOfThePackage(): void
    {
        [$status, $output] = $this->php($this->firstPayment('bindings-php/README.md'));
        self::assertSame(0, $status, $output);
        self::assertStringStartsWith('00020126', $output);
    }

    /** The path of the program that a page begins with. */
    private function firstPayment(string $page): string
    {
        $page = (string) file_get_contents(Repository::root() . "/$page");
        self::assertSame(1, preg_match('/```php\n(<\?php.*?)```/s', $page, $found));
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        return $this->folder->file('first.php', str_replace("'vendor/autoload.php'", $autoload, $found[1]));
    }

    /** The code of the package's README that begins so. */
    private function snippet(string $beginning): string
    {
        $readme = (string) file_get_contents(Repository::root() . '/bindings-php/README.md');
        $beginning = preg_quote($beginning, '/');
        self::assertSame(1, preg_match("/```php\n($beginning.*?)```/s", $readme, $found));
        return $found[1];
    }

    /** @return array{int, string} */
    private function example(string $example, string ...$arguments): array
    {
        return $this->php(Repository::root() . "/examples/php/$example", ...$arguments);
    }

    /** @return array{int, string} exit code, and everything that was printed */
    private function php(string ...$command): array
    {
        $status = proc_close($this->start(...$command));
        return [$status, (string) file_get_contents($this->folder->file('output'))];
    }

    /** @return resource the process, which writes to the file `output` */
    private function start(string ...$command)
    {
        $environment = [
            'PATH' => (string) getenv('PATH'),
            Loader::VARIABLE => Repository::built('libpayments.so'),
        ];
        $output = ['file', $this->folder->file('output', ''), 'a'];
        return proc_open(
            [PHP_BINARY, ...$command],
            [['file', '/dev/null', 'r'], $output, $output],
            $pipes,
            dirname($this->folder->file('x')),
            $environment,
        );
    }
}
