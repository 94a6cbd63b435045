<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A response within the limits takes a bounded part of the memory, whatever it
 * is made of.
 */
final class MemoryTest extends TestCase
{
    private const MOST_MIB = 64;

    private static Sandbox $sandbox;

    public static function setUpBeforeClass(): void
    {
        self::$sandbox = new Sandbox();
    }

    /** @return list<array{string, string}> */
    public static function largeResponses(): array
    {
        return [
            ['numbers', 'create_payment'],
            ['numbers', 'send'],
            ['names', 'create_payment'],
            ['nesting', 'create_payment'],
            ['text', 'create_payment'],
            ['escapes', 'create_payment'],
            ['results', 'register_tracking'],
        ];
    }

    /** @dataProvider largeResponses */
    public function testNoResponseTakesMoreThan64MiB(string $of, string $operation): void
    {
        $struck = $operation === 'send' ? 'create_payment' : $operation;
        self::$sandbox->fault($struck, ['fault' => 'large', 'of' => $of]);
        $given = [
            'config' => self::$sandbox->config(),
            'operation' => $operation,
            'payment' => Samples::payment(),
        ];
        $environment = ['GIVEN' => json_encode($given, JSON_THROW_ON_ERROR)];
        foreach (['LIBPAYMENTS_LIBRARY'] as $name) {
            $environment[$name] = (string) getenv($name);
        }
        $program = 'require ' . var_export(__DIR__ . '/bootstrap.php', true) . ';' . <<<'PHP'
            $status = static function (string $member): int {
                preg_match("/$member:\\s+(\\d+)/", (string) file_get_contents('/proc/self/status'), $found);
                return (int) $found[1];
            };
            $given = json_decode((string) getenv('GIVEN'), true);
            $client = new Libpayments\Client($given['config']);
            $before = $status('VmRSS');
            $response = match ($given['operation']) {
                'send' => $client->send('POST', '/ws/direct', '{}'),
                'register_tracking' => $client->registerTracking(
                    ['order_number' => '1', 'email' => 'a@b.c', 'tracking_code' => ['A1']]
                ),
                default => $client->createPayment($given['payment']),
            };
            if ($response->json()['status'] !== 'SUCCESS') {
                exit(1);
            }
            echo intdiv($status('VmHWM') - $before, 1024);
            PHP;
        $growth = Php::run($program, ['-d', 'memory_limit=128M'], $environment);
        self::assertMatchesRegularExpression('/^\d+$/', $growth);
        self::assertLessThanOrEqual(self::MOST_MIB, (int) $growth);
    }
}
