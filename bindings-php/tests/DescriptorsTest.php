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
    public function testACallSaysWhetherItWasExecuted(string $expected, bool $isWarm, string ...$arguments): void
    {
        $sandbox = new Sandbox();
        $sandbox->fault('create_payment', ['fault' => 'response', 'status' => 503]);
        $folder = new Folder();
        $config = $folder->file('config.json', (string) json_encode($sandbox->config()));
        $fixture = __DIR__ . '/fixtures/descriptors.php';
        $told = Php::output([...self::LIMITED, PHP_BINARY, $fixture, ...$arguments], [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $config,
            ...($isWarm ? ['TEST_WARM' => '1'] : []),
        ]);
        self::assertSame($expected, $told);
        self::assertCount($isWarm ? 1 : 0, $sandbox->requests('create_payment'));
    }

    /** @return iterable<string, array{string, bool}> */
    public static function calls(): iterable
    {
        yield 'a request that is refused' => ['wrong_type not_executed', false, '100.1'];
        yield 'no token' => ['token_server_unreachable not_executed', false];
        yield 'an answer that says nothing' => ['failed unknown', true];
    }
}
