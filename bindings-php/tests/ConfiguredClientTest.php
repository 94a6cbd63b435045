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
        $client = ConfiguredClient::make(['config' => self::CONFIG, 'sandbox' => $flag], 'production', ['local']);
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
        self::assertRefused('must be true or false', $flag, 'local');
    }

    /** @return list<array{mixed}> */
    public static function unclear(): array
    {
        return [['disabled'], ['none'], ['2'], [2], [['true']]];
    }

    /** @dataProvider on */
    public function testTheSandboxIsRefusedWhereOrdersAreReal(mixed $flag): void
    {
        foreach (['production', 'prod', 'staging', ''] as $environment) {
            self::assertRefused("is on in the environment \"$environment\"", $flag, $environment);
        }
    }

    /** @return list<array{mixed}> */
    public static function on(): array
    {
        return [[true], [1], ['1'], ['on'], ['yes'], ['true'], ['TRUE']];
    }

    public function testMembersOfTheEnvironmentHaveTheirTypes(): void
    {
        $texts = ['timeout_ms' => '500', 'payout_query' => 'on', 'duplicate_codes' => 'A-1, A-2',
            'headers' => '{"X-Shop": "1"}', 'kid' => null];
        self::assertNotNull(ConfiguredClient::make(['config' => self::CONFIG + $texts], 'production', []));
        foreach (['timeout_ms' => 'soon', 'payout_query' => 'maybe', 'headers' => '{'] as $member => $text) {
            try {
                ConfiguredClient::make(['config' => self::CONFIG + [$member => $text]], 'production', []);
                self::fail("$member was accepted");
            } catch (ConfigException $error) {
                self::assertSame($member, $error->getPath());
            }
        }
    }

    private static function assertRefused(string $message, mixed $flag, string $environment): void
    {
        try {
            ConfiguredClient::make(['config' => self::CONFIG, 'sandbox' => $flag], $environment, ['local']);
            self::fail('it was made');
        } catch (ConfigException $error) {
            self::assertSame('sandbox', $error->getPath());
            self::assertStringContainsString($message, $error->getMessage());
        }
    }
}
