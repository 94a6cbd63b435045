<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Processes that have no free descriptor: PHP then cannot open the file of a class.
 */
final class DescriptorsTest extends TestCase
{
    private const LIMITED = ['sh', '-c', 'ulimit -n 64 && exec "$0" "$@"'];

    /** @dataProvider calls */
    public function testACallSaysWhetherItWasExecuted(string $expected, int $sent, string ...$arguments): void
    {
        foreach ([[], ['throwing']] as $more) {
            $sandbox = new Sandbox();
            $fault = $expected === 'PE' ? ['fault' => 'pass'] : ['fault' => 'response', 'status' => 503];
            $isPaid = in_array('paid', $arguments, true);
            $sandbox->fault('create_payment', ...($isPaid ? [['fault' => 'pass']] : []), ...[$fault]);
            $folder = new Folder();
            $config = $folder->file('config.json', (string) json_encode($sandbox->config()));
            // PHP may open no device.
            $allowed = implode(':', [Repository::root(), dirname($config)]);
            $fixture = __DIR__ . '/fixtures/descriptors.php';
            $command = [PHP_BINARY, '-d', "open_basedir=$allowed", $fixture, ...$arguments, ...$more];
            $output = Php::output([...self::LIMITED, ...$command], [
                Loader::VARIABLE => Repository::built('libpayments.so'),
                'TEST_CONFIG' => $config,
            ]);
            self::assertSame($expected, $output);
            self::assertCount($sent, $sandbox->requests('create_payment'));
        }
    }

    /** @return iterable<string, array{0: string, 1: int}> */
    public static function calls(): iterable
    {
        yield 'a request that is refused' => ['wrong_type not_executed', 0, 'amount=100.1'];
        yield 'a request that is refused after a payment' => ['wrong_type not_executed', 1, 'paid', 'amount=1.5'];
        yield 'no token' => ['token_server_failed not_executed', 0];
        yield 'an answer that says nothing' => ['failed unknown', 1, 'warm'];
        yield 'an answer that says nothing after one that says all' => ['failed unknown', 2, 'paid'];
        yield 'descriptors that are taken in the call' => ['failed unknown', 1, 'warm', 'greedy'];
        yield 'an answer' => ['PE', 1, 'warm'];
        yield 'an answer without descriptors that were taken in the call' => ['PE', 1, 'warm', 'greedy'];
        yield 'both' => ['failed unknown', 2, 'paid', 'greedy'];
    }
}
