<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\CallContext;
use Libpayments\Client;
use Libpayments\Exception\CancelledException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\SigningException;
use Libpayments\Exception\Unknown\UnknownTransportException;
use Libpayments\Internal\Loader;
use Libpayments\SigningInput;
use Libpayments\Tests\Support\ErrorLog;
use Libpayments\Tests\Support\FailedCalls;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Libpayments\Tests\Support\Watched;
use PHPUnit\Framework\TestCase;

/**
 * Signers and observers in PHP, and their exceptions.
 */
final class CallbacksTest extends TestCase
{
    use FailedCalls;

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testASignerSignsTheSentBytes(): void
    {
        $seen = null;
        $client = $this->signing(static function (SigningInput $input, CallContext $context) use (&$seen): string {
            $seen = [$input->sha256() === hash('sha256', $input->bytes(), true), $context->remainingMs()];
            return self::signature($input->bytes());
        });
        $client->createPayment(Samples::payment());
        self::assertSame('verified', self::$sandbox->requests('create_payment')[0]['signature']);
        self::assertTrue($seen[0], 'the digest is that of the bytes');
        self::assertGreaterThan(20_000, $seen[1]);
    }

    public function testAnExceptionOfASignerIsTheCallsError(): void
    {
        $thrown = new \DomainException('the service said: secret');
        $client = $this->signing(static fn (): string => throw $thrown);
        $error = self::failed($client, SigningException::class);
        self::assertSame($thrown, $error->getPrevious());
        self::assertStringContainsString('DomainException', $error->getMessage());
        self::assertStringNotContainsString('secret', $error->getMessage());
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    public function testAnInvalidResultOfASignerIsRefused(): void
    {
        $public = ['public_key' => (string) file_get_contents(Repository::key('test_rsa_4096_public.pem'))];
        foreach ([static fn (): string => '', static fn (): string => 'short', static fn (): int => 5] as $sign) {
            $error = self::failed($this->signing($sign, $public), SigningException::class);
            self::assertFalse($error->mayHaveBeenExecuted());
        }
        self::assertInstanceOf(\TypeError::class, $error->getPrevious());
    }

    /** @dataProvider moments */
    public function testAnExceptionOfAnObserverIsLoggedAndChangesNothing(string $moment): void
    {
        $thrown = new \RuntimeException('canary of the observer');
        $client = $this->observed(self::throwsIn($moment, $thrown));
        $response = null;
        $logged = ErrorLog::during(static function () use ($client, &$response): void {
            $response = $client->createPayment(Samples::payment());
        });
        self::assertSame('PE', $response->status());
        self::assertCount(1, self::$sandbox->requests('create_payment'));
        $at = __FILE__ . ":{$thrown->getLine()}";
        self::assertStringEndsWith(
            "libpayments: the observer threw RuntimeException at $at; the call is not affected\n",
            $logged,
        );
        self::assertSame(1, substr_count($logged, "\n"));
        self::assertStringNotContainsString('canary', $logged);
    }

    /** @return array<string, array{string}> */
    public static function moments(): array
    {
        $moments = ['request_started', 'token_requested', 'token_fetched', 'attempt', 'attempt_ended',
            'request_ended'];
        return array_map(static fn (string $moment): array => [$moment], array_combine($moments, $moments));
    }

    public function testAnExceptionOfAnObserverWithoutACallChangesNothing(): void
    {
        $client = $this->observed(static fn (): mixed => throw new \Error('always'));
        $logged = ErrorLog::during(static function () use ($client): void {
            $token = $client->accessToken()->accessToken();
            $prepared = $client->prepare('create_payment', Samples::payment());
            self::assertSame("Bearer $token", $prepared->header('Authorization'));
            self::assertTrue($client->tokenStatus()->isUsable());
        });
        self::assertStringContainsString('the observer threw Error at ', $logged);
    }

    public function testAnObserverThatThrowsLeavesTheFailureOfTheCall(): void
    {
        $client = $this->observed(static fn (): mixed => throw new \Error('always'));
        self::$sandbox->fault('create_payment', ['fault' => 'close', 'execute' => true]);
        ErrorLog::during(static function () use ($client): void {
            $error = self::failed($client, UnknownTransportException::class);
            self::assertNull($error->getPrevious());
            self::assertSame('order-1001', $error->getReference());
        });
    }

    public function testAnObserverMayThrowWithoutALog(): void
    {
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/autoload.php', true) . ';'
            . '$config = ' . var_export(self::$sandbox->config(), true) . ';'
            . '$client = new Libpayments\Client($config, observer: static fn () => throw new Error("always"));'
            . 'echo $client->createPayment(' . var_export(Samples::payment(), true) . ')->status();';
        $library = [Loader::VARIABLE => Repository::built('libpayments.so')];
        self::assertSame('PE', Php::run($code, ['-d', 'disable_functions=error_log'], $library));
    }

    /** @dataProvider fatalPlaces */
    public function testTheClientWorksAfterAFatalErrorInACallback(string $event, string $expected, string $call): void
    {
        $code = 'require ' . var_export(__DIR__ . '/bootstrap.php', true) . ';'
            . '$payment = ' . var_export(Samples::payment(), true) . ';'
            . 'register_shutdown_function(static function () use (&$client, &$events, $payment): void {'
            . '    ini_set("memory_limit", "-1");'
            . '    try { echo $client->queryPayment(["merchant_payment_code" => $payment["payment"]'
            . '        ["merchant_payment_code"]])->status(), " ", count($events); }'
            . '    catch (Libpayments\Exception\RejectedException $error) { echo $error->getErrorCode(); }'
            . '});'
            . '$fails = static function (array $event) use (&$events): void { $events[] = $event["event"];'
            . '    if ($event["event"] === "' . $event . '" && array_count_values($events)["' . $event . '"] === 1) {'
            . '        ini_set("memory_limit", "16M"); str_repeat("x", 1 << 28);'
            . '    }'
            . '};'
            . '$client = new Libpayments\Client(' . var_export(self::$sandbox->config(), true) . ', observer: $fails);'
            . '$pay = static fn () => $client->createPayment($payment);'
            . $call;
        $command = [PHP_BINARY, '-d', 'display_errors=stderr', '-d', 'log_errors=0', '-r', $code];
        [$status, $output, $errors] = (new Php($command, [
            Loader::VARIABLE => Repository::built('libpayments.so'),
        ]))->result();
        self::assertSame([255, $expected], [$status, $output], $errors);
        self::assertStringContainsString('Allowed memory size', $errors);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function fatalPlaces(): iterable
    {
        $inFiber = '(new Fiber($pay))->start();';
        yield 'before the payment is sent' => ['attempt', 'payment_not_found', '$pay();'];
        yield 'after it was sent' => ['attempt_ended', 'PE 10', '$pay();'];
        yield 'after its end' => ['request_ended', 'PE 11', '$pay();'];
        yield 'in a fiber' => ['attempt_ended', 'PE 10', $inFiber];
    }

    public function testTheClientWorksAfterACallbackThrew(): void
    {
        $isBroken = true;
        $at = static function (string $place) use (&$isBroken): void {
            if ($isBroken && $place === 'load') {
                throw new \RuntimeException('once');
            }
        };
        $client = Watched::client(self::$sandbox->config(), self::$sandbox->kid(), $at);
        self::failed($client, CancelledException::class);
        $isBroken = false;
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
    }

    public function testACallbackThatCallsItsClientIsRefused(): void
    {
        $client = null;
        $inner = null;
        $client = $this->observed(static function () use (&$client, &$inner): void {
            try {
                $client->queryPayment(['hash' => 'x']);
            } catch (PaymentsException $error) {
                $inner = $error;
            }
        });
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
        self::assertStringContainsString('called the client that it serves', $inner->getMessage());
    }

    public function testACallbackMayUseAnotherClient(): void
    {
        $other = new Client(self::$sandbox->config(), shared: false);
        $client = $this->observed(static function (array $event) use ($other): void {
            if ($event['event'] === 'request_started') {
                $other->accessToken();
            }
        });
        self::assertSame('PE', $client->createPayment(Samples::payment())->status());
    }

    public function testAfterAnExitInACallbackTheClientAndANewOneWork(): void
    {
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/autoload.php', true) . ';'
            . '$config = ' . var_export(self::$sandbox->config(), true) . ';'
            . '$payment = ' . var_export(Samples::payment(), true) . ';'
            . '$exits = static function (array $event): void {'
            . '    $event["event"] !== "token_fetched" || exit(0);'
            . '};'
            . '$client = new Libpayments\Client($config, observer: $exits);'
            . 'register_shutdown_function(static function () use ($client, $config, $payment): void {'
            . '    $other = new Libpayments\Client($config, observer: static fn (array $event) => null);'
            . '    echo $other->tokenStatus()->isUsable() ? "usable" : "none", " ";'
            . '    try { echo $client->createPayment($payment)->status();'
            . '    } catch (Libpayments\Exception\PaymentsException $error) { echo $error->getErrorCode(); }'
            . '    $payment["payment"]["merchant_payment_code"] = "other";'
            . '    echo " ", $other->createPayment($payment)->status();'
            . '    exit(0);'
            . '});'
            . '$client->accessToken();';
        $library = [Loader::VARIABLE => Repository::built('libpayments.so')];
        self::assertSame('usable PE PE', Php::run($code, [], $library));
    }

    public function testCallbacksOfSeveralClientsAreKeptApart(): void
    {
        $seen = [];
        $clients = [];
        foreach (['a', 'b', 'c'] as $name) {
            $clients[$name] = $this->observed(static function () use ($name, &$seen): void {
                $seen[$name] = true;
            });
        }
        unset($clients['b']);
        $clients['c']->tokenStatus();
        $clients['c']->accessToken();
        self::assertSame(['c' => true], $seen);
    }

    /** @param array<string, mixed> $config */
    private function signing(callable $sign, array $config = []): Client
    {
        $config += array_diff_key(self::$sandbox->config(), ['key_file' => 0, 'kid' => 0]);
        return new Client($config, signer: new CallbackSigner(self::$sandbox->kid(), $sign));
    }

    private function observed(callable $observer): Client
    {
        return new Client(self::$sandbox->config(), observer: $observer, shared: false);
    }

    private static function throwsIn(string $moment, \Throwable $thrown): \Closure
    {
        return static function (array $event) use ($moment, $thrown): void {
            if ($event['event'] === $moment) {
                throw $thrown;
            }
        };
    }

    private static function signature(string $bytes): string
    {
        $key = (string) file_get_contents(Repository::key('test_rsa_4096_pkcs8.pem'));
        openssl_sign($bytes, $signature, $key, OPENSSL_ALGO_SHA256);
        return $signature;
    }
}
