<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Runs the examples as a merchant would, and the first payment of the README.
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

    public function testTheCheckoutPays(): void
    {
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('status: PE', $output);
        self::assertStringContainsString('pay with: 00020126', $output);
    }

    public function testTheCheckoutFindsAPaymentWhoseAnswerWasLost(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('unknown, asking', $output);
        self::assertStringContainsString('status: PE', $output);
        self::assertCount(1, $this->sandbox->requests('create_payment'));
    }

    public function testTheCheckoutTellsWhenNothingWasPaid(): void
    {
        $this->sandbox->fault('create_payment', ['fault' => 'close']);
        [$status, $output] = $this->example('checkout.php', 'order-7', '12.30');
        self::assertSame(1, $status, $output);
        self::assertStringContainsString('was not paid', $output);
    }

    public function testMistakesAreToldByTheirExitCodes(): void
    {
        self::assertSame(1, $this->example('checkout.php', 'order-7', 'much')[0]);
        $this->folder->file('payments.json', '{"base_url": "http://127.0.0.1:1", "kid": "x"}');
        self::assertSame(2, $this->example('checkout.php', 'order-7', '1')[0]);
        self::assertSame(2, $this->example('follow_up.php', 'order-7')[0]);
    }

    public function testTheFollowUpTellsWhatBecameOfOrders(): void
    {
        foreach (['a', 'b', 'c'] as $order) {
            $this->example('checkout.php', $order, '1.00');
        }
        $this->sandbox->text('POST', '/sandbox/payments/a/confirm');
        $this->sandbox->text('POST', '/sandbox/payments/b/cancel');
        [$status, $output] = $this->example('follow_up.php', 'a', 'b', 'c', 'd');
        self::assertSame(1, $status, $output);
        self::assertSame("a: deliver\nb: release\nd: unknown to the service (BP-REF-CAN-2)\nc: open\n", $output);
        $this->sandbox->text('POST', '/sandbox/payments/c/confirm');
        self::assertSame([0, "c: deliver\n"], $this->example('follow_up.php', '--wait', '5', 'c'));
    }

    public function testTheFirstPaymentOfTheReadme(): void
    {
        $readme = (string) file_get_contents(dirname(__DIR__) . '/README.md');
        self::assertSame(1, preg_match('/```php\n(<\?php.*?)```/s', $readme, $found));
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $code = str_replace("'vendor/autoload.php'", $autoload, $found[1]);
        self::assertLessThanOrEqual(10, substr_count(trim($code), "\n") - substr_count($code, "\n\n"));
        $script = $this->folder->file('first.php', $code);
        [$status, $output] = $this->php($script);
        self::assertSame(0, $status, $output);
        self::assertStringStartsWith('00020126', $output);
    }

    /** @return array{int, string} */
    private function example(string $example, string ...$arguments): array
    {
        return $this->php(Repository::root() . "/examples/php/$example", ...$arguments);
    }

    /** @return array{int, string} exit code, and everything that was printed */
    private function php(string ...$command): array
    {
        $environment = [
            'PATH' => (string) getenv('PATH'),
            Loader::VARIABLE => Repository::built('libpayments.so'),
        ];
        $output = ['file', $this->folder->file('output', ''), 'a'];
        $process = proc_open(
            [PHP_BINARY, ...$command],
            [['file', '/dev/null', 'r'], $output, $output],
            $pipes,
            dirname($this->folder->file('x')),
            $environment,
        );
        $status = proc_close($process);
        return [$status, (string) file_get_contents($this->folder->file('output'))];
    }
}
