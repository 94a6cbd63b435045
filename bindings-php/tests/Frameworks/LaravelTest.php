<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

use Illuminate\Contracts\Bus\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;
use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\EnsuredPayment;
use Libpayments\Exception\ConfigException;
use Libpayments\Laravel\FollowPayment;
use Libpayments\Testing\UsesSandbox;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\MemoryStore;
use Libpayments\Tests\Support\Samples;
use Libpayments\TokenStore;
use PHPUnit\Framework\TestCase;

/**
 * The service provider for Laravel in a small shop.
 */
final class LaravelTest extends TestCase
{
    use FollowsPayments;
    use UsesSandbox;

    private const VARIABLES = ['SHOP_FOLDER', 'PAYMENTS_SANDBOX', 'PAYMENTS_CONFIG_FILE', 'APP_ENV'];

    private Shop $shop;
    private bool $isBootstrapped = false;

    protected function setUp(): void
    {
        $this->shop = $this->shop();
    }

    protected function tearDown(): void
    {
        if ($this->isBootstrapped) {
            restore_error_handler();
            restore_exception_handler();
        }
        array_map(putenv(...), self::VARIABLES);
        foreach (self::VARIABLES as $name) {
            unset($_ENV[$name], $_SERVER[$name]);
        }
    }

    public function testAShopPaysUnderTheServerOfPhp(): void
    {
        $shown = $this->shop->server()->get('/pay/order-1');
        self::assertSame('PE', $shown['status']);
        self::assertStringStartsWith('00020126', $shown['code']);
        self::assertSame(['order-1'], array_column($this->sandbox()->payments(), 'merchant_payment_code'));
        $log = $this->shop->written('log');
        self::assertMatchesRegularExpression('/\.DEBUG: request_ended call=\d+ reference=order-1 hash=/', $log);
        self::assertStringNotContainsString('@', $log);
        self::assertSame('', $this->shop->written('payments.log'));
    }

    public function testEventsMayHaveTheirOwnChannel(): void
    {
        $this->shop = $this->shop(['PAYMENTS_LOG_CHANNEL' => 'payments']);
        $this->shop->server()->get('/pay/order-1');
        self::assertStringContainsString('request_ended', $this->shop->written('payments.log'));
        self::assertStringNotContainsString('request_ended', $this->shop->written('log'));
    }

    public function testAWorkerOfFpmKeepsTokenAndConnection(): void
    {
        $this->paysUnder($this->shop->fpm());
    }

    public function testTheShopPaysWithPreloadedDeclarations(): void
    {
        $this->paysUnder($this->shop->preloadingFpm());
    }

    public function testAQueueFollowsAPaymentUntilItIsPaid(): void
    {
        $this->shop->server()->get('/pay/order-2');
        $this->work();
        self::assertSame('', $this->shop->written('ended'));
        $this->sandbox()->pay('order-2');
        $this->work();
        self::assertSame("order-2, paid, ended\n", $this->shop->written('ended'));
    }

    public function testAPaymentThatDiffersFromTheJournalIsNotPaid(): void
    {
        $journal = $this->shop->keepJournal();
        $this->shop->server()->get('/pay/order-2');
        $journal->exec("UPDATE payments_journal SET amount = '1.00'");
        $this->sandbox()->pay('order-2');
        $this->work();
        self::assertSame("order-2, not paid, differs\n", $this->shop->written('ended'));
    }

    public function testAWorkerThatIsKilledLosesNoPayment(): void
    {
        $this->shop->server()->get('/pay/order-2');
        $this->sandbox()->pay('order-2');
        $this->shop->folder->file('listener', 'dies');
        try {
            $this->work();
            self::fail('the worker was not killed');
        } catch (\RuntimeException) {
            $this->shop->folder->file('listener', '');
        }
        self::assertSame('', $this->shop->written('ended'));
        // As after `retry_after`.
        $queue = new \PDO('sqlite:' . $this->shop->folder->file('queue.db'));
        $queue->exec('UPDATE jobs SET reserved_at = reserved_at - 100');
        $this->work();
        self::assertSame("order-2, paid, ended\n", $this->shop->written('ended'));
    }

    public function testARollbackLeavesNoJob(): void
    {
        $app = $this->application();
        $app->make(Dispatcher::class)->dispatch(new FollowPayment('order-0', '10.50', 'BRL'));
        $database = $app->make('db');
        foreach (['rollBack' => 1, 'commit' => 2] as $end => $jobs) {
            $database->beginTransaction();
            $app->make(Dispatcher::class)->dispatch(new FollowPayment('order-1', '10.50', 'BRL'));
            self::assertSame(1, $database->table('jobs')->count(), 'before the end of the transaction');
            $database->$end();
            self::assertSame($jobs, $database->table('jobs')->count(), $end);
        }
    }

    public function testALostResponseIsFollowedUp(): void
    {
        $this->sandbox()->failNext('response_lost', 'create_payment');
        self::assertSame('PE', $this->shop->server()->get('/pay/order-3')['status']);
        $this->sandbox()->decline('order-3');
        $this->work();
        self::assertSame("order-3, not paid, ended\n", $this->shop->written('ended'));
        $log = $this->shop->written('log');
        self::assertMatchesRegularExpression('/\.WARNING: request_ended call=\d+ reference=order-3 /', $log);
    }

    public function testTheConfigurationMayBeMembersFromTheEnvironment(): void
    {
        $configuration = $this->sandbox()->configuration();
        $environment = ['PAYMENTS_CONFIG_FILE' => ''];
        $key = new Folder();
        $configuration['key_file'] = $key->file('key.pem', $configuration['key']);
        unset($configuration['key']);
        foreach ($configuration as $name => $value) {
            $environment['PAYMENTS_' . strtoupper($name)] = (string) $value;
        }
        $this->shop = $this->shop($environment);
        self::assertSame('PE', $this->shop->server()->get('/pay/order-5')['status']);
    }

    public function testTestsPayInTheSandboxOfTheirProcess(): void
    {
        $app = $this->application(['PAYMENTS_SANDBOX' => 'true', 'APP_ENV' => 'testing']);
        $response = $app->make(Kernel::class)->handle(Request::create('/pay/order-6'));
        self::assertSame('PE', json_decode((string) $response->getContent(), true)['status']);
        self::assertSame(['order-6'], array_column($this->sandbox()->payments(), 'merchant_payment_code'));
    }

    public function testTheSandboxIsRefusedInProduction(): void
    {
        $app = $this->application(['PAYMENTS_SANDBOX' => 'true', 'APP_ENV' => 'production']);
        $this->expectException(ConfigException::class);
        $this->expectExceptionMessage('in the environment "production"');
        $app->make(Client::class);
    }

    public function testADoubleTakesThePlaceOfTheClient(): void
    {
        $app = $this->application();
        $client = $this->createStub(ClientInterface::class);
        $client->method('ensurePayment')->willReturn(new EnsuredPayment(200, [], '{}', ['status' => 'CO']));
        $app->instance(ClientInterface::class, $client);
        $response = $app->make(Kernel::class)->handle(Request::create('/pay/order-7'));
        self::assertSame('CO', json_decode((string) $response->getContent(), true)['status']);
        self::assertSame([], $this->sandbox()->payments());
    }

    public function testThereIsOneClientByBothNames(): void
    {
        $app = $this->application();
        self::assertSame($app->make(Client::class), $app->make(ClientInterface::class));
    }

    public function testBoundServicesAreUsed(): void
    {
        $app = $this->application();
        $app->instance(TokenStore::class, $store = new MemoryStore());
        $app->instance('libpayments.observer', $observer = new EventNames());
        $app->make(ClientInterface::class)->createPayment(Samples::payment());
        self::assertContains('request_ended', $observer->events);
        self::assertCount(1, $store->entries);
    }

    public function testAQueueThatCannotDelayIsRefused(): void
    {
        $app = $this->application();
        $app->make('config')->set('queue.connections.sync', ['driver' => 'sync']);
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('the queue connection "sync" cannot delay a job');
        $app->make(Dispatcher::class)->dispatch((new FollowPayment('order-1', '10.50', 'BRL'))->onConnection('sync'));
    }

    public function testTheConfigurationIsPublished(): void
    {
        $said = $this->shop->console('vendor:publish', '--tag=libpayments', '--no-ansi');
        $published = __DIR__ . '/Laravel/config/libpayments.php';
        self::assertFileEquals(dirname(__DIR__, 2) . '/frameworks/Laravel/libpayments.php', $published, $said);
        unlink($published);
    }

    private function paysUnder(Fpm $fpm): void
    {
        $first = $this->shop->page($fpm, '/pay/order-1');
        $second = $this->shop->page($fpm, '/pay/order-2');
        self::assertSame(['PE', 'PE', $first['pid']], [$first['status'], $second['status'], $second['pid']]);
        self::assertCount(2, $this->sandbox()->payments());
    }

    /** Runs one job, as soon as there is one. */
    private function work(): void
    {
        $this->shop->console('queue:work', '--max-jobs=1', '--max-time=60', '--sleep=0.2', '--tries=1');
    }

    /**
     * The application in this process.
     *
     * @param array<string, string> $environment
     */
    private function application(array $environment = []): Application
    {
        $environment += ['SHOP_FOLDER' => dirname($this->shop->folder->file('x')),
            'PAYMENTS_CONFIG_FILE' => $this->shop->folder->file('payments.json')];
        foreach ($environment as $name => $value) {
            putenv("$name=$value");
            $_ENV[$name] = $value;
        }
        $app = require __DIR__ . '/Laravel/app.php';
        $app->make(Kernel::class)->bootstrap();
        $this->isBootstrapped = true;
        return $app;
    }

    /** @param array<string, string> $environment */
    private function shop(array $environment = []): Shop
    {
        $shop = new Shop('Laravel', $this->sandbox(), $environment);
        (new \PDO('sqlite:' . $shop->folder->file('queue.db')))->exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, '
            . 'queue TEXT, payload TEXT, attempts INTEGER, reserved_at INTEGER, available_at INTEGER, '
            . 'created_at INTEGER)');
        return $shop;
    }
}
