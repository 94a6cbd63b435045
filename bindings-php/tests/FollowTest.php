<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\FollowEnd;
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
        @unlink($this->state);
    }

    public function testAnEndThatWasNotHandledComesAgain(): void
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
            self::assertSame('following', $error->getErrorCode());
        }
        unset($ends);
        self::assertTrue($client->follow(['order-1'], $this->state)->current()->repeated);
    }

    public function testAnOpenPaymentIsGivenUp(): void
    {
        $client = $this->client();
        $hash = (string) $client->createPayment(Samples::payment())->hash();
        $end = $client->follow([$hash], giveUpAfterMs: 0, byHash: true)->current();
        self::assertSame([FollowEnd::GIVEN_UP, 'PE', null], [$end->end, $end->status, $end->code]);
        self::assertStringStartsWith('it is still open after', (string) $end->reason);
    }

    public function testWhatCannotWorkIsRefused(): void
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
