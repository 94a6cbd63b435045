<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

use Libpayments\ClientInterface;
use Libpayments\Symfony\FollowPayment;
use Libpayments\Symfony\LibpaymentsBundle;
use Libpayments\Testing\UsesSandbox;
use Libpayments\Tests\Frameworks\Symfony\ShopKernel;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\MemoryStore;
use Libpayments\Tests\Support\Samples;
use Libpayments\TokenStore;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Config\Definition\Exception\InvalidConfigurationException;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpFoundation\Request;

require_once __DIR__ . '/Symfony/autoload.php';

/**
 * The Symfony bundle in a small shop.
 */
final class SymfonyTest extends TestCase
{
    use FollowsPayments;
    use UsesSandbox;

    private Shop $shop;

    protected function setUp(): void
    {
        $this->shop = $this->shop("    file: '%kernel.project_dir%/payments.json'");
    }

    public function testAShopPaysUnderTheServerOfPhp(): void
    {
        $shown = $this->shop->server()->get('/pay/order-1');
        self::assertSame('PE', $shown['status']);
        self::assertStringStartsWith('00020126', $shown['code']);
        self::assertSame(['order-1'], array_column($this->sandbox()->payments(), 'merchant_payment_code'));
        $log = $this->shop->written('log');
        self::assertMatchesRegularExpression('/ shop\.DEBUG: request_ended call=\d+ reference=order-1 hash=/', $log);
        self::assertStringNotContainsString('@', $log);
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

    public function testALostResponseIsFollowedUp(): void
    {
        $this->sandbox()->failNext('response_lost', 'create_payment');
        self::assertSame('PE', $this->shop->server()->get('/pay/order-3')['status']);
        $this->sandbox()->decline('order-3');
        $this->work();
        self::assertSame("order-3, not paid, ended\n", $this->shop->written('ended'));
        $log = $this->shop->written('log');
        self::assertMatchesRegularExpression('/shop\.WARNING: request_ended call=\d+ reference=order-3 /', $log);
    }

    public function testAPaymentIsGivenUpAfterItsTime(): void
    {
        $this->shop = $this->shop("    file: '%kernel.project_dir%/payments.json'\n    give_up_after: 0");
        $this->shop->server()->get('/pay/order-4');
        $this->work();
        self::assertSame("order-4, not paid, given up\n", $this->shop->written('ended'));
    }

    public function testTheConfigurationMayBeMembersFromTheEnvironment(): void
    {
        $members = '';
        $environment = [];
        foreach ($this->sandbox()->configuration() as $name => $value) {
            $variable = 'SHOP_' . strtoupper($name);
            $environment[$variable] = (string) $value;
            $members .= "        $name: '%env($variable)%'\n";
        }
        $this->shop = $this->shop("    config:\n$members", $environment);
        self::assertSame('PE', $this->shop->server()->get('/pay/order-5')['status']);
        self::assertStringNotContainsString(
            $this->sandbox()->configuration()['client_secret'],
            $this->shop->console('debug:config', 'libpayments'),
        );
    }

    public function testAFileAndMembersAreRefusedTogether(): void
    {
        $this->shop = $this->shop("    file: payments.json\n    config: {base_url: 'http://127.0.0.1:1'}");
        $this->expectException(InvalidConfigurationException::class);
        (new ShopKernel('test', true))->boot();
    }

    public function testTestsPayInTheSandboxOfTheirProcess(): void
    {
        $this->shop = $this->shop('    sandbox: true');
        $kernel = new ShopKernel('test', true);
        $response = $kernel->handle(Request::create('/pay/order-6'));
        self::assertSame('PE', json_decode((string) $response->getContent(), true)['status']);
        self::assertSame(['order-6'], array_column($this->sandbox()->payments(), 'merchant_payment_code'));
    }

    public function testTheSandboxIsRefusedInProduction(): void
    {
        $this->shop = $this->shop('    sandbox: true');
        $response = (new ShopKernel('prod', false))->handle(Request::create('/pay/order-7'));
        self::assertSame(500, $response->getStatusCode());
        self::assertStringContainsString('in the environment "prod"', $this->shop->written('log'));
        self::assertSame([], $this->sandbox()->payments());
    }

    public function testServicesOfTheContainerAreUsed(): void
    {
        $store = MemoryStore::class;
        $this->shop = $this->shop("    sandbox: true\n    observer: event_names\nservices:\n"
            . '    event_names: {class: ' . EventNames::class . ", public: true}\n"
            . "    Libpayments\\TokenStore: {class: $store, public: true}");
        $kernel = new ShopKernel('test', true);
        $kernel->handle(Request::create('/pay/order-8'));
        $container = $kernel->getContainer();
        self::assertContains('request_ended', $container->get('event_names')->events);
        self::assertCount(1, $container->get(TokenStore::class)->entries);
    }

    public function testAMessageThatIsNotRoutedIsRefused(): void
    {
        $this->shop = $this->shop('    sandbox: true', routing: '{}');
        $kernel = new ShopKernel('test', true);
        $response = $kernel->handle(Request::create('/pay/order-9'));
        self::assertSame(500, $response->getStatusCode());
        self::assertStringContainsString('can delay messages', $this->shop->written('log'));
        self::assertCount(1, $this->sandbox()->requests('query_payment'));
    }

    public function testTheBundleNeedsNeitherMessengerNorLogger(): void
    {
        $container = new ContainerBuilder();
        $container->setParameter('kernel.environment', 'prod');
        $container->registerExtension($extension = (new LibpaymentsBundle())->getContainerExtension());
        $container->loadFromExtension($extension->getAlias(), ['config' => $this->sandbox()->configuration()]);
        $container->setAlias('client', ClientInterface::class)->setPublic(true);
        $container->compile();
        self::assertSame('PE', $container->get('client')->createPayment(Samples::payment())->status());
    }

    private function paysUnder(Fpm $fpm): void
    {
        $first = $this->shop->page($fpm, '/pay/order-1');
        $second = $this->shop->page($fpm, '/pay/order-2');
        self::assertSame(['PE', 'PE', $first['pid']], [$first['status'], $second['status'], $second['pid']]);
        self::assertCount(2, $this->sandbox()->payments());
        $tokens = array_filter(
            $this->sandbox()->requests(),
            static fn (array $request): bool => $request['operation'] === 'access_token',
        );
        self::assertCount(1, $tokens);
    }

    private function work(): void
    {
        $this->shop->console('messenger:consume', 'async', '--limit=1', '--time-limit=60', '--quiet');
    }

    /** @param array<string, string> $environment */
    private function shop(string $settings, array $environment = [], ?string $routing = null): Shop
    {
        $shop = new Shop('Symfony', $this->sandbox(), $environment);
        mkdir($shop->folder->file('config'));
        $routing ??= "{'" . FollowPayment::class . "': async}";
        $shop->folder->file('config/shop.yaml', "framework:\n    secret: of the test\n    http_method_override: false\n"
            . "    messenger:\n        transports:\n            async: 'sqlite:'\n        routing: $routing\n"
            . "libpayments:\n$settings\n");
        putenv('SHOP_FOLDER=' . dirname($shop->folder->file('x')));
        return $shop;
    }
}
