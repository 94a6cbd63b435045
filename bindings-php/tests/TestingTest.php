<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\Exception\RejectedException;
use Libpayments\Exception\TokenException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\FollowEnd;
use Libpayments\Internal\Loader;
use Libpayments\Testing\Responses;
use Libpayments\Testing\Sandbox;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\WebServer;
use PHPUnit\Framework\TestCase;

/**
 * The parts of the test kit that the tests of the shop in `examples/` do not
 * show.
 */
final class TestingTest extends TestCase
{
    private const PAGE = __DIR__ . '/fixtures/test_kit.php';

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox([], Repository::built('payments'));
    }

    public static function tearDownAfterClass(): void
    {
        self::$sandbox->stop();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testTheCommandIsFoundAndAMissingOneIsNamed(): void
    {
        $folder = new Folder();
        $home = dirname($folder->file('x'));
        $code = 'require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';'
            . 'chdir($_SERVER["HOME"]); putenv("PATH=" . $_SERVER["HOME"]);'
            . 'try { $sandbox = new Libpayments\Testing\Sandbox(["--require", "none"]);'
            . 'echo count($sandbox->payments()); } catch (RuntimeException $e) { echo $e->getMessage(); }';
        $environment = ['HOME' => $home];
        $said = Php::run($code, [], $environment);
        self::assertStringContainsString('composer require --dev libpayments/sandbox', $said);
        $named = ['PAYMENTS_COMMAND' => Repository::built('payments')];
        self::assertSame('0', Php::run($code, [], $environment + $named));
        mkdir("$home/vendor/bin", 0777, true);
        mkdir("$home/vendor/libpayments/sandbox/bin", 0777, true);
        symlink(Repository::built('payments'), "$home/vendor/libpayments/sandbox/bin/payments");
        self::assertSame('0', Php::run($code, [], $environment));
    }

    public function testARefusalOfTheSandboxIsThrown(): void
    {
        $this->expectExceptionMessageMatches('/not the name of a fault/');
        self::$sandbox->failNext('no_such_fault');
    }

    public function testASandboxThatDoesNotStartThrows(): void
    {
        $this->expectExceptionMessageMatches('/did not start/');
        new Sandbox([], '/bin/false');
    }

    public function testAPageOfPhpsOwnServerUsesTheKit(): void
    {
        $server = new WebServer(self::PAGE, $this->environmentOfPages());
        self::assertSame(['server' => 'cli-server', 'status' => 'CO'], $server->get('/'));
    }

    public function testAPageOfFpmUsesTheKit(): void
    {
        $fpm = new Fpm(self::PAGE, ['ffi.enable' => '1'], $this->environmentOfPages());
        self::assertSame(['server' => 'fpm-fcgi', 'status' => 'CO'], $fpm->get(''));
    }

    public function testAResetSharesNeitherTokenNorBackoff(): void
    {
        self::$sandbox->blockTokens();
        try {
            self::$sandbox->client()->createPayment(Samples::payment());
            self::fail('it has a token');
        } catch (TokenException $refused) {
            self::assertFalse($refused->mayHaveBeenExecuted());
        }
        self::$sandbox->reset();
        $payment = self::$sandbox->client()->createPayment(Samples::payment());
        self::$sandbox->revokeTokens();
        self::assertSame('PE', self::$sandbox->client()->queryPayment(['hash' => $payment->hash()])->status());
        self::assertCount(1, self::$sandbox->payments());
    }

    public function testMadeResponsesAreLikeThoseOfTheService(): void
    {
        $client = self::$sandbox->client();
        $real = $client->createPayment(Samples::payment());
        $code = (string) $real->merchantPaymentCode();
        $made = Responses::payment('PE', (string) $real->hash(), $code, $real->qrCodeValue());
        foreach (['status', 'isPaid', 'hash', 'merchantPaymentCode', 'qrCodeValue', 'httpStatus'] as $member) {
            self::assertSame($real->$member(), $made->$member(), $member);
        }
        self::assertSame($made->json(), json_decode($made->raw(), true));
        self::assertTrue(Responses::payment('CO')->isPaid());
        self::$sandbox->pay($code);
        $refund = $client->refundPayment(['hash' => $real->hash()]);
        $made = Responses::refund((string) $refund->refundId(), 'RE', 'CO', (string) $real->hash());
        foreach (['refundId', 'refundStatus', 'paymentStatus', 'hash'] as $member) {
            self::assertSame($refund->$member(), $made->$member(), $member);
        }
        self::assertSame('OP', Responses::payout()->status());
        $tracking = Responses::tracking('A', 'B');
        self::assertSame('B', $tracking->result()[1]->trackingCode());
        self::assertNull($tracking->countMismatch());
    }

    public function testMadeEndsAreLikeThoseOfTheService(): void
    {
        $client = self::$sandbox->client();
        $hash = $client->createPayment(Samples::payment())->hash();
        self::$sandbox->pay('order-1001');
        $real = $client->follow(['order-1001'])->current();
        $members = ['amount' => '100.10', 'currency' => 'BRL'];
        self::assertEquals($real, Responses::followEnd(reference: 'order-1001', hash: $hash, members: $members));
        $client = self::$sandbox->client(['payout_query' => true]);
        $uid = $client->createPayout(Samples::payout('payout-1'))->uid();
        self::$sandbox->call('POST', 'payouts/payout-1/pay');
        $real = $client->follow(['payout-1'], byExternalReference: true)->current();
        $members = ['operation' => 'create_payout', 'uid' => $uid, 'amount' => '10.00', 'currency' => 'BRL'];
        self::assertEquals($real, Responses::followEnd(reference: 'payout-1', hash: null, members: $members));
        $fake = $this->createMock(ClientInterface::class);
        $fake->method('follow')->willReturnCallback(static function (): \Generator {
            yield Responses::followEnd();
            yield Responses::followEnd(FollowEnd::GIVEN_UP, 'order-2', null, ['reason' => 'it is still open']);
        });
        [$paid, $open] = iterator_to_array($fake->follow());
        self::assertTrue($paid->isConfirmed());
        self::assertSame(['given_up', null], [$open->end, $open->status]);
    }

    public function testTheInterfaceHasEveryMethodOfAClient(): void
    {
        $of = static fn (string $class): array => array_filter(
            get_class_methods($class),
            static fn (string $name): bool => !str_starts_with($name, '__')
                && !(new \ReflectionMethod($class, $name))->isStatic()
                && !str_contains((string) (new \ReflectionMethod($class, $name))->getDocComment(), '@internal'),
        );
        self::assertSame([], array_diff($of(Client::class), $of(ClientInterface::class)));
    }

    public function testMadeErrorsAreLikeThoseOfAClient(): void
    {
        $made = Responses::error('rejected', 'rejected', 'unknown', ['service_code' => 'BP-DR-0']);
        self::assertInstanceOf(RejectedException::class, $made);
        self::assertInstanceOf(UnknownOutcome::class, $made);
        self::assertSame('BP-DR-0', $made->getServiceCode());
        $kept = Responses::error('timeout', 'deadline_exceeded', 'not_executed');
        self::assertNotInstanceOf(UnknownOutcome::class, $kept);
    }

    /** @return array<string, string> */
    private function environmentOfPages(): array
    {
        return [
            Loader::VARIABLE => (string) realpath(Repository::built('libpayments.so')),
            'PAYMENTS_COMMAND' => (string) realpath(Repository::built('payments')),
        ];
    }
}
