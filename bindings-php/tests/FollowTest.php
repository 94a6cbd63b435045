<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\FollowEnd;
use Libpayments\Internal\Frameworks\FollowUp;
use Libpayments\Internal\Loader;
use Libpayments\PaymentEnded;
use Libpayments\PdoJournal;
use Libpayments\Symfony\FollowPayment;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Following open payments, with a generator.
 */
final class FollowTest extends TestCase
{
    private static Sandbox $sandbox;

    private string $state;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
        $this->state = sys_get_temp_dir() . '/follow-' . bin2hex(random_bytes(8));
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->state*") ?: []);
    }

    public function testAnEndThatWasNotHandledIsRepeated(): void
    {
        $client = $this->client();
        $this->pay($client, 'order-1', 'order-2');
        foreach ($client->follow(['order-1', 'order-2'], $this->state, perSecond: 100) as $end) {
            self::assertSame(['order-1', 'confirmed', 'CO', false], [$end->reference, $end->end, $end->status,
                $end->repeated]);
            self::assertTrue($end->isConfirmed());
            break;
        }
        unset($end);
        $ends = iterator_to_array($client->follow(['order-1', 'order-2'], $this->state, perSecond: 100), false);
        self::assertSame([['order-1', true], ['order-2', false]], array_map(
            static fn (FollowEnd $end): array => [$end->reference, $end->repeated],
            $ends,
        ));
        self::assertSame([], iterator_to_array($client->follow(['order-1'], $this->state)));
    }

    public function testTheStateFileIsFreeWhenTheGeneratorIsGone(): void
    {
        $client = $this->client();
        $this->pay($client, 'order-1');
        $ends = $client->follow(['order-1'], $this->state);
        self::assertSame('order-1', $ends->current()->reference);
        try {
            $client->follow(['order-1'], $this->state)->current();
            self::fail('two follow with one state file');
        } catch (ConfigException $error) {
            self::assertSame('already_running', $error->getErrorCode());
        }
        unset($ends);
        self::assertTrue($client->follow(['order-1'], $this->state)->current()->repeated);
    }

    /** PHP skips `finally` there, and a worker lives on. */
    public function testTheStateFileIsFreeAfterAnExitAndATimeOut(): void
    {
        $this->pay($this->client(), 'order-1');
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/tests/bootstrap.php', true) . ';'
            . '$config = ' . var_export(self::$sandbox->config(), true) . ';'
            . '$follow = static fn () => (new Libpayments\Client($config))->follow(["order-1"], $argv[1]);'
            . 'foreach ($follow() as $end) {'
            . '    register_shutdown_function(static function () use ($follow): void {'
            . '        echo $follow()->current()->repeated ? "again" : "first";'
            . '    });'
            . '    set_time_limit(1);'
            . '    while ($argv[2] === "time-out") {}'
            . '    exit;'
            . '}';
        foreach (['exit', 'time-out'] as $how) {
            $command = [PHP_BINARY, '-d', 'display_errors=0', '-r', $code, '--', "$this->state-$how", $how];
            $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
            [, $output, $errors] = (new Php($command, $environment))->result();
            self::assertSame('again', $output, "$how: $errors");
        }
    }

    public function testAnIteratorThatOutlivesItsClientEndsQuietly(): void
    {
        $this->pay($this->client(), 'order-1');
        $code = 'require ' . var_export(Repository::root() . '/bindings-php/tests/bootstrap.php', true) . ';'
            . 'final class Kept { public static mixed $ends; }'
            . '$client = new Libpayments\Client(' . var_export(self::$sandbox->config(), true) . ');'
            . 'Kept::$ends = $client->follow(["order-1"]);'
            . 'echo Kept::$ends->current()->end;';
        $command = [PHP_BINARY, '-d', 'display_errors=stderr', '-r', $code];
        $environment = [Loader::VARIABLE => Repository::built('libpayments.so')];
        self::assertSame([0, FollowEnd::CONFIRMED, ''], (new Php($command, $environment))->result());
    }

    public function testAnOpenPaymentIsGivenUp(): void
    {
        $client = $this->client();
        $hash = (string) $client->createPayment(Samples::payment())->hash();
        $end = $client->follow([$hash], giveUpAfterMs: 0, byHash: true)->current();
        self::assertSame([FollowEnd::GIVEN_UP, 'PE', null], [$end->end, $end->status, $end->code]);
        $created = Samples::payment()['payment'];
        self::assertSame([$created['amount_total'], $created['currency_code']], [$end->amount, $end->currency]);
        self::assertStringStartsWith('it is still open after', (string) $end->reason);
    }

    public function testPayoutsAreFollowedWhereTheirQueryIsOn(): void
    {
        $client = new Client(['payout_query' => true] + self::$sandbox->config());
        $uid = (string) $client->createPayout(Samples::payout('payout-1'))->uid();
        $client->createPayout(Samples::payout('payout-2'));
        self::$sandbox->call('POST', '/sandbox/payouts/payout-1/pay');
        self::$sandbox->call('POST', '/sandbox/payouts/payout-2/cancel', ['code' => 'BANK_INFO']);
        $names = ['payout-1', 'payout-2'];
        $follow = fn (): array => iterator_to_array(
            $client->follow($names, $this->state, perSecond: 100, byExternalReference: true),
            false,
        );
        $first = $client->follow($names, $this->state, byExternalReference: true)->current();
        self::assertSame(['create_payout', 'payout-1', $uid, null, 'confirmed', 'PA', null, false], [$first->operation,
            $first->reference, $first->uid, $first->hash, $first->end, $first->status, $first->code, $first->repeated]);
        self::assertSame([['payout-1', true, null], ['payout-2', false, 'BANK_INFO']], array_map(
            static fn (FollowEnd $end): array => [$end->reference, $end->repeated, $end->code],
            $follow(),
        ));
        self::assertSame([], $follow());
        $byUid = $client->follow([$uid], byUid: true)->current();
        self::assertSame([$uid, FollowEnd::CONFIRMED], [$byUid->reference, $byUid->end]);
        foreach (['payout_query' => $this->client(), 'references' => $client] as $path => $refusing) {
            try {
                $refusing->follow($names, byExternalReference: true, byUid: $refusing === $client)->current();
                self::fail($path);
            } catch (PaymentsException $error) {
                self::assertSame($path, $error->getPath());
            }
        }
    }

    public function testInvalidArgumentsAreRefused(): void
    {
        foreach (['journal' => null, 'references' => [' ']] as $path => $references) {
            try {
                $this->client()->follow($references)->current();
                self::fail($path);
            } catch (PaymentsException $error) {
                self::assertSame($path, $error->getPath());
            }
        }
    }

    public function testAJobComparesAPaymentWithTheJournal(): void
    {
        $connect = fn (): \PDO => new \PDO("sqlite:$this->state.db");
        $journal = new PdoJournal($connect);
        $journal->create();
        $client = new Client(self::$sandbox->config(), journal: $journal);
        $this->pay($client, 'order-1', 'order-2', 'order-3');
        $connect()->exec("UPDATE payments_journal SET amount = '1.00' WHERE reference = 'order-2'");
        $connect()->exec("UPDATE payments_journal SET currency = 'XXX' WHERE reference = 'order-3'");
        $ask = static function (string $order, string $amount = '100.10') use ($client): ?PaymentEnded {
            $end = null;
            (new FollowUp(
                client: static fn () => $client,
                fire: static function (PaymentEnded $ended) use (&$end): void {
                    $end = $ended;
                },
                report: static fn (\Throwable $error) => throw $error,
                read: static fn () => null,
                write: static fn () => null,
                giveUpAfter: 60,
            ))->next(new FollowPayment($order, $amount, 'BRL'));
            return $end;
        };
        foreach (['order-1' => false, 'order-2' => true, 'order-3' => true] as $order => $differs) {
            $end = $ask($order);
            self::assertInstanceOf(PaymentEnded::class, $end);
            self::assertSame([$differs, !$differs], [$end->differs(), $end->isPaid()], $order);
            self::assertTrue($end->payment?->isPaid(), 'what the service says');
            self::assertSame($differs, str_contains((string) $end->difference, 'amount or currency'));
            $ends = iterator_to_array($client->follow([$order]), false);
            self::assertSame([$differs ? FollowEnd::DIFFERS : FollowEnd::CONFIRMED], array_column($ends, 'end'));
        }
        self::assertStringContainsString('not that of the order', (string) $ask('order-1', '10.50')?->difference);
        $connect()->exec('DROP TABLE payments_journal');
        $this->expectException(JournalException::class);
        $ask('order-1');
    }

    private function pay(Client $client, string ...$references): void
    {
        foreach ($references as $reference) {
            $client->createPayment(Samples::payment(['merchant_payment_code' => $reference]));
            self::$sandbox->call('POST', "/sandbox/payments/$reference/confirm");
        }
    }

    private function client(): Client
    {
        return new Client(self::$sandbox->config());
    }
}
