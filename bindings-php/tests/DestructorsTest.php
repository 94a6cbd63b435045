<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Destructors of values that a request contains. PHP runs them where a method returns.
 */
final class DestructorsTest extends TestCase
{
    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    protected function setUp(): void
    {
        self::$sandbox->reset();
    }

    public function testADestructorThatThrowsIsNoticedBeforeAnythingIsSent(): void
    {
        $client = new Client(self::$sandbox->config());
        $calls = [
            static fn () => $client->createPayment(Samples::payment(['name' => self::throwsAtItsEnd()])),
            static fn () => $client->call('create_payment', Samples::payment(['name' => self::throwsAtItsEnd()])),
            static fn () => $client->prepare('create_payment', Samples::payment(['name' => self::throwsAtItsEnd()])),
            static fn () => $client->send('GET', '/v1/payment', query: ['name' => self::throwsAtItsEnd()]),
        ];
        foreach ($calls as $call) {
            try {
                $call();
                self::fail('nothing was thrown');
            } catch (\DomainException $error) {
                self::assertSame('at its end', $error->getMessage());
            }
        }
        self::assertSame([], self::$sandbox->requests('create_payment'));
    }

    private static function throwsAtItsEnd(): \Stringable
    {
        return new class () implements \Stringable {
            public function __toString(): string
            {
                return 'José da Silva';
            }

            public function __destruct()
            {
                throw new \DomainException('at its end');
            }
        };
    }
}
