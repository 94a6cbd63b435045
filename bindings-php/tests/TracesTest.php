<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Bytes;
use Libpayments\Internal\Loader;
use Libpayments\Internal\Work;
use Libpayments\Tests\Scenario\Shown;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\ThrowingStore;
use PHPUnit\Framework\TestCase;

/**
 * The traces of exceptions of callbacks: they have the arguments of every
 * function from the client's method to the callback.
 */
final class TracesTest extends TestCase
{
    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::assertSame('0', ini_get('zend.exception_ignore_args'), 'arguments are kept');
        self::$sandbox->reset();
    }

    public function testATraceIsPrintedWithItsFrames(): void
    {
        try {
            (new Client(self::$sandbox->config()))->queryPayment(['merchant_payment_code' => 'order-0']);
            self::fail('it was found');
        } catch (PaymentsException $error) {
            self::assertStringContainsString('Libpayments\\Client->queryPayment()', $error->getTraceAsString());
            self::assertStringContainsString(__FUNCTION__, (string) $error);
        }
    }

    /**
     * @dataProvider calls
     * @param \Closure(Client): mixed $call
     */
    public function testAnExceptionOfASignerShowsNoRequest(string $method, \Closure $call): void
    {
        $config = array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        $signer = new CallbackSigner('kid', static fn (): string => throw new \RuntimeException('of the signer'));
        $client = new Client($config, signer: $signer);
        $this->assertNothingIsShown(self::shown(static fn (): mixed => $call($client)), $method);
    }

    /**
     * @dataProvider calls
     * @param \Closure(Client): mixed $call
     */
    public function testAnExceptionOfAnObserverShowsNoRequest(string $method, \Closure $call): void
    {
        $thrown = null;
        $client = new Client(self::$sandbox->config(), observer: static function () use (&$thrown): void {
            $thrown ??= new \RuntimeException('of the observer');
            throw $thrown;
        });
        ErrorLog::during(static fn (): mixed => $call($client));
        $this->assertNothingIsShown(Shown::arguments($thrown), $method);
    }

    /** @return array<string, array{string, \Closure(Client): mixed}> */
    public static function calls(): array
    {
        $payment = Samples::payment(['name' => 'Maria Souza']);
        $body = (string) json_encode($payment);
        $query = ['name' => 'Maria'];
        $head = ['method' => 'POST', 'path' => '/ws/x', 'query' => $query];
        return [
            'a payment' => ['createPayment', static fn (Client $of): mixed => $of->createPayment($payment)],
            'as text' => ['createPayment', static fn (Client $of): mixed => $of->createPayment($body)],
            'by name' => ['call', static fn (Client $of): mixed => $of->call('create_payment', $payment)],
            'bytes' => ['send', static fn (Client $of): mixed => $of->send('POST', '/ws/x', $body, $query)],
            'preparing' => ['prepare', static fn (Client $of): mixed => $of->prepare('create_payment', $payment)],
            'preparing bytes' => ['prepare', static fn (Client $of): mixed => $of->prepare('send', $head, $body)],
        ];
    }

    /** @dataProvider methods */
    public function testAnExceptionOfAStoreShowsNoToken(string $method): void
    {
        $store = new ThrowingStore($method);
        $client = new Client(self::$sandbox->config(), tokenStore: $store);
        if ($method === 'deleteIf') {
            $client->accessToken();
            self::$sandbox->text('POST', '/sandbox/tokens/revoke');
        }
        $shown = self::shown(static fn (): mixed => $client->createPayment(Samples::payment()));
        self::assertStringContainsString('Libpayments\Client::createPayment', $shown);
        self::assertGreaterThan(10, strlen((string) $store->token));
        self::assertStringNotContainsString((string) $store->token, $shown);
    }

    /** @return array<string, array{string}> */
    public static function methods(): array
    {
        return ['save' => ['save'], 'deleteIf' => ['deleteIf']];
    }

    public function testObjectsThatHoldARequestDumpNothing(): void
    {
        $bytes = new Bytes(Loader::ffi(), 'Maria');
        $work = new Work('create_payment', '{"payment": {"merchant_payment_code": "Maria"}}');
        self::assertSame('Maria', \FFI::string(Loader::ffi()->cast('char *', $bytes->pointer), $bytes->length));
        self::assertStringContainsString('Maria', $work->request);
        self::assertStringNotContainsString('M', print_r([$bytes, $bytes->pointer, $work], true));
    }

    private function assertNothingIsShown(string $shown, string $method): void
    {
        self::assertStringContainsString("Libpayments\\Client::$method", $shown);
        self::assertStringNotContainsString('Maria', $shown);
        preg_match_all('/CData:(.*) Object/', $shown, $pointers);
        $followed = preg_grep('/^(void\*|struct payments_\w+\*?)$/', $pointers[1], PREG_GREP_INVERT);
        self::assertSame([], $followed, 'a dump follows these, and what they point to may be gone');
    }

    /** The trace of a callback's exception in this call. */
    private static function shown(\Closure $call): string
    {
        try {
            $call();
        } catch (PaymentsException $error) {
            return Shown::arguments($error->getPrevious());
        }
        self::fail('the call succeeded');
    }
}
