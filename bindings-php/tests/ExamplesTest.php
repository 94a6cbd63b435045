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
 * Runs the examples as a merchant would, and the first payment of the README.
 */
final class ExamplesTest extends TestCase
{
    /** Two refusals of a query: a wrong key, then "not found". */
    private const DOUBT = [
        ['fault' => 'response', 'json' => ['status' => 'ERROR', 'status_code' => 'BP-SA-2']],
        ['fault' => 'response', 'json' => ['status' => 'ERROR', 'status_code' => 'BP-REF-CAN-2']],
    ];

    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
        $this->folder->file('payments.json', (string) json_encode($this->sandbox->config()));
    }

    public function testTheCheckoutPays(): void
    {
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('status: PE', $output);
        self::assertStringContainsString('pay with: 00020126', $output);
    }

    public function testTheCheckoutFindsAPaymentWhoseResponseWasLost(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('unknown, asking', $output);
        self::assertStringContainsString('status: PE', $output);
        self::assertCount(1, $this->sandbox->requests('create_payment'));
    }

    public function testNoExampleMistakesALostPaymentForNone(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        $this->sandbox->fault('query_payment', ...self::DOUBT);
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('status: PE', $output);
        $this->assertNothingIsGivenUp($output);

        $this->sandbox->fault('query_payment', ...self::DOUBT);
        for ($round = 0; $round < 2; $round++) {
            [$status, $output] = $this->example('follow_up.php', 'order-7');
            self::assertSame([1, 'order-7: open'], [$status, self::lastLine($output)], $output);
            $this->assertNothingIsGivenUp($output);
        }
        $this->sandbox->text('POST', '/sandbox/payments/order-7/confirm');
        self::assertSame([0, "order-7: deliver\n"], $this->example('follow_up.php', 'order-7'));
        self::assertCount(1, $this->sandbox->requests('create_payment'));
    }

    public function testAnOrderThatWasSentIsNeverSentAgain(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close']);
        for ($round = 0; $round < 2; $round++) {
            [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
            self::assertSame(3, $status, $output);
            self::assertStringContainsString('not known yet', $output);
            $this->assertNothingIsGivenUp($output);
        }
        self::assertCount(1, $this->sandbox->requests('create_payment'));
    }

    public function testAPersonDecidesAndOnlyAfterTheWait(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close']);
        $this->example('checkout.php', 'order-7', '12.30');
        $this->folder->file('order-7.sent', (string) (time() - 800));
        self::assertSame('order-7: open', self::lastLine($this->example('follow_up.php', 'order-7')[1]));
        $this->folder->file('order-7.sent', (string) (time() - 901));
        $this->sandbox->fault('query_payment', self::DOUBT[0]);
        self::assertSame('order-7: open', self::lastLine($this->example('follow_up.php', 'order-7')[1]));
        [$status, $output] = $this->example('follow_up.php', 'order-7');
        self::assertSame([1, 'order-7: open, and still not found: a person must decide'], [
            $status,
            self::lastLine($output),
        ]);
        self::assertCount(1, $this->sandbox->requests('create_payment'));
    }

    public function testARecordThatIsBeingWrittenIsNotOverdue(): void
    {
        $file = $this->folder->file('order-7.sent', '');
        self::assertSame('order-7: open', self::lastLine($this->example('follow_up.php', 'order-7')[1]));
        touch($file, time() - 60 * 15 - 31);
        $last = self::lastLine($this->example('follow_up.php', 'order-7')[1]);
        self::assertSame('order-7: open, and still not found: a person must decide', $last);
        self::assertCount(0, $this->sandbox->requests('create_payment'));
    }

    public function testACallThatWasNotExecutedMayBeRetried(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'response', 'status' => 429]);
        self::assertSame(1, $this->example('checkout.php', 'order-7', '12.30')[0]);
        self::assertSame(0, $this->example('checkout.php', 'order-7', '12.30')[0]);
    }

    public function testMistakesHaveExitCodes(): void
    {
        self::assertSame(1, $this->example('checkout.php', 'order-7', 'much')[0]);
        $this->folder->file('payments.json', '{"base_url": "http://127.0.0.1:1", "kid": "x"}');
        self::assertSame(2, $this->example('checkout.php', 'order-7', '1')[0]);
        self::assertSame(2, $this->example('follow_up.php', 'order-7')[0]);
    }

    public function testTheFollowUpReportsTheOutcomesOfOrders(): void
    {
        foreach (['a', 'b', 'c'] as $order) {
            $this->example('checkout.php', $order, '1.00');
        }
        $this->sandbox->text('POST', '/sandbox/payments/a/confirm');
        $this->sandbox->text('POST', '/sandbox/payments/b/cancel');
        [$status, $output] = $this->example('follow_up.php', 'a', 'b', 'c', 'd');
        self::assertSame(1, $status, $output);
        $lines = array_values(array_filter(explode("\n", $output), static fn (string $line): bool => $line !== ''));
        self::assertSame(['a: deliver', 'b: release'], array_slice($lines, 0, 2));
        self::assertSame(['c: open', 'd: open'], array_slice($lines, -2));
        $this->sandbox->text('POST', '/sandbox/payments/c/confirm');
        self::assertSame([0, "c: deliver\n"], $this->example('follow_up.php', '--wait', '5', 'c'));
    }

    public function testTheLogHasEveryEvent(): void
    {
        $this->example('checkout.php', 'order-7', '12.30');
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

    public function testTheFirstPaymentOfTheProjectEndsWithADelivery(): void
    {
        $process = $this->start($this->firstPayment('README.md'));
        $payments = fn (): array => $this->sandbox->call('GET', '/sandbox/payments')['payments'];
        while ($payments() === [] && proc_get_status($process)['running']) {
            usleep(10_000);
        }
        $this->sandbox->call('POST', '/sandbox/payments/order-1003/confirm');
        $status = proc_close($process);
        $output = (string) file_get_contents($this->folder->file('output'));
        self::assertSame([0, "deliver\n"], [$status, $output]);
        $code = (string) file_get_contents(dirname($this->folder->file('x')) . '/code.svg');
        self::assertStringStartsWith('<svg ', $code);
    }

    /** The path of the program that a README begins with, from a checkout or as Composer installs it. */
    private function firstPayment(string $readme): string
    {
        $readme = (string) file_get_contents(Repository::root() . "/$readme");
        self::assertSame(1, preg_match('/```php\n(<\?php.*?)```/s', $readme, $found));
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $shown = ["'../libpayments/bindings-php/autoload.php'", "'vendor/autoload.php'"];
        return $this->folder->file('first.php', str_replace($shown, $autoload, $found[1]));
    }

    private function assertNothingIsGivenUp(string $output): void
    {
        self::assertDoesNotMatchRegularExpression('/may be sent again|not paid|release|must decide/', $output);
    }

    private static function lastLine(string $output): string
    {
        $lines = explode("\n", trim($output));
        return end($lines);
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
