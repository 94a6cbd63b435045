<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Exception\Executed\ExecutedCancelledException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\SigningException;
use Libpayments\Exception\TokenException;
use Libpayments\SigningInput;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\SuspendingStore;
use PHPUnit\Framework\TestCase;

/**
 * Calls of several fibers that take turns on one client.
 */
final class FibersTest extends TestCase
{
    private const COUNT = 6;

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testCallsWhoseSignerAndObserverSuspendAreNotMixedUp(): void
    {
        $signing = 0;
        $most = 0;
        $sign = static function (SigningInput $input) use (&$signing, &$most): string {
            $most = max($most, ++$signing);
            \Fiber::suspend();
            $signing--;
            return self::signature($input->bytes());
        };
        $client = $this->client($sign, static fn () => \Fiber::getCurrent() && \Fiber::suspend());
        $client->accessToken();
        foreach ($this->takeTurns($client) as $reference => $error) {
            self::assertNull($error, "$reference: $error");
        }
        self::assertSame(self::COUNT, $most);
        $verified = array_column(self::$sandbox->requests('create_payment'), 'signature');
        self::assertSame(array_fill(0, self::COUNT, 'verified'), $verified);
    }

    public function testAnExceptionOfACallbackBelongsToTheCallOfItsFiber(): void
    {
        $sign = static function (SigningInput $input): string {
            $reference = self::reference($input);
            \Fiber::suspend();
            if ((int) substr($reference, -1) % 3 === 1) {
                throw new \DomainException($reference);
            }
            return self::signature($input->bytes());
        };
        $observe = static function (array $event): void {
            $number = \Fiber::getCurrent() === null ? 0 : \Fiber::suspend();
            if ($number % 3 === 2 && $event['event'] === 'attempt') {
                throw new \RangeException("order-$number");
            }
        };
        $client = $this->client($sign, $observe);
        $client->accessToken();
        $results = [];
        $logged = ErrorLog::during(function () use ($client, &$results): void {
            $results = $this->takeTurns($client);
        });
        foreach ($results as $reference => $error) {
            if ((int) substr($reference, -1) % 3 !== 1) {
                self::assertNull($error, "$reference: $error");
                continue;
            }
            self::assertInstanceOf(SigningException::class, $error);
            self::assertSame($reference, $error->getPrevious()->getMessage());
        }
        self::assertSame(self::COUNT / 3, substr_count($logged, 'threw RangeException'));
    }

    public function testACallDoesNotWaitForAFiberThatFetchesTheToken(): void
    {
        $client = new Client(self::$sandbox->config(), tokenStore: new SuspendingStore());
        $paid = 0;
        foreach ($this->takeTurns($client) as $error) {
            if ($error === null) {
                $paid++;
                continue;
            }
            self::assertInstanceOf(TokenException::class, $error);
            self::assertSame('reentrant_call', $error->getErrorCode());
            self::assertFalse($error->mayHaveBeenExecuted());
        }
        self::assertGreaterThan(0, $paid);
        self::assertSame([], array_filter($this->takeTurns($client, self::COUNT)));
    }

    public function testACallbackInAFiberCannotCallItsClient(): void
    {
        $client = null;
        $codes = [];
        $sign = static function (SigningInput $input) use (&$client, &$codes): string {
            \Fiber::suspend();
            try {
                $client->accessToken();
            } catch (PaymentsException $error) {
                $codes[] = $error->getErrorCode();
            }
            \Fiber::suspend();
            return self::signature($input->bytes());
        };
        $client = $this->client($sign, null);
        $client->accessToken();
        self::assertSame([], array_filter($this->takeTurns($client)));
        self::assertSame(array_fill(0, self::COUNT, 'reentrant_call'), $codes);
    }

    public function testAHandlerOfASignalDoesNotRunInTheCallbackOfAnotherFiber(): void
    {
        $sign = static function (SigningInput $input): string {
            \Fiber::suspend();
            if (self::reference($input) === 'order-1') {
                // By now, the call of the other fiber has ended.
                posix_kill(posix_getpid(), SIGUSR1);
            }
            return self::signature($input->bytes());
        };
        $client = $this->client($sign, null);
        $client->accessToken();
        $thrown = new \RuntimeException('a signal arrived');
        pcntl_signal(SIGUSR1, static fn () => throw $thrown);
        $before = pcntl_async_signals(true);
        try {
            ['order-0' => $first, 'order-1' => $second] = $this->takeTurns($client, 0, 2);
            self::assertTrue(pcntl_async_signals());
        } finally {
            pcntl_async_signals($before);
            pcntl_signal(SIGUSR1, SIG_DFL);
        }
        self::assertNull($first);
        self::assertInstanceOf(ExecutedCancelledException::class, $second);
        self::assertSame('interrupted_after_response', $second->getErrorCode());
        self::assertSame($thrown, $second->getPrevious());
        self::assertSame('order-1', $second->getResponse()->merchantPaymentCode());
    }

    /**
     * Makes payments in fibers, which are resumed in turn.
     *
     * @return array<string, ?PaymentsException> by reference
     */
    private function takeTurns(Client $client, int $first = 0, int $count = self::COUNT): array
    {
        $fibers = [];
        for ($number = $first; $number < $first + $count; $number++) {
            $fibers[$number] = new \Fiber(static function (string $reference) use ($client): ?PaymentsException {
                try {
                    $response = $client->createPayment(Samples::payment(['merchant_payment_code' => $reference]));
                } catch (PaymentsException $error) {
                    return $error;
                }
                self::assertSame($reference, $response->merchantPaymentCode());
                return null;
            });
            $fibers[$number]->start("order-$number");
        }
        $results = [];
        while (count($results) < $count) {
            foreach ($fibers as $number => $fiber) {
                if ($fiber->isTerminated()) {
                    $results["order-$number"] = $fiber->getReturn();
                } else {
                    $fiber->resume($number);
                }
            }
        }
        ksort($results);
        return $results;
    }

    private function client(callable $sign, ?callable $observer): Client
    {
        $config = array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        $signer = new CallbackSigner(self::$sandbox->kid(), $sign);
        return new Client($config, signer: $signer, observer: $observer);
    }

    private static function reference(SigningInput $input): string
    {
        $signed = json_decode(explode('.', $input->bytes(), 2)[1], true);
        return $signed['payment']['merchant_payment_code'];
    }

    private static function signature(string $bytes): string
    {
        $key = (string) file_get_contents(Repository::key('test_rsa_4096_pkcs8.pem'));
        openssl_sign($bytes, $signature, $key, OPENSSL_ALGO_SHA256);
        return $signature;
    }
}
