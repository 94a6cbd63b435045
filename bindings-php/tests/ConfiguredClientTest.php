<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Exception\ConfigException;
use Libpayments\Exception\ConnectException;
use Libpayments\Internal\Frameworks\ConfiguredClient;
use PHPUnit\Framework\TestCase;

/**
 * The flag `sandbox` of the settings that frameworks share.
 */
final class ConfiguredClientTest extends TestCase
{
    private const CONFIG = ['base_url' => 'http://127.0.0.1:1', 'integration_key' => 'x'];

    /** @dataProvider off */
    public function testAClientPaysAtTheServiceWhereTheFlagIsOff(mixed $flag): void
    {
        $client = ConfiguredClient::make(['config' => self::CONFIG, 'sandbox' => $flag], isProduction: true);
        $this->expectException(ConnectException::class);
        $client->queryPayment(['merchant_payment_code' => 'order-1']);
    }

    /** @return list<array{mixed}> */
    public static function off(): array
    {
        return [[false], [null], [0], ['0'], ['off'], ['Off'], ['no'], ['false'], ['']];
    }

    /** @dataProvider unclear */
    public function testAFlagThatIsNeitherOnNorOffIsRefused(mixed $flag): void
    {
        self::assertRefused('must be true or false', $flag, false);
    }

    /** @return list<array{mixed}> */
    public static function unclear(): array
    {
        return [['disabled'], ['none'], ['2'], [2], [['true']]];
    }

    /** @dataProvider on */
    public function testTheSandboxIsRefusedInProduction(mixed $flag): void
    {
        self::assertRefused('is on in an application in production', $flag, true);
    }

    /** @return list<array{mixed}> */
    public static function on(): array
    {
        return [[true], [1], ['1'], ['on'], ['yes'], ['true'], ['TRUE']];
    }

    private static function assertRefused(string $message, mixed $flag, bool $isProduction): void
    {
        try {
            ConfiguredClient::make(['config' => self::CONFIG, 'sandbox' => $flag], isProduction: $isProduction);
            self::fail('it was made');
        } catch (ConfigException $error) {
            self::assertSame('sandbox', $error->getPath());
            self::assertStringContainsString($message, $error->getMessage());
        }
    }
}
