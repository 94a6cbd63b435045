<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Destructors that make calls, and those of values that a request contains, which PHP runs where a
 * method returns.
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

    /**
     * @dataProvider clients
     * @param list<string> $arguments
     */
    public function testDestructorsMayPayInEveryOrder(array $arguments): void
    {
        self::$sandbox->call('POST', '/sandbox/settings', ['verify_signatures' => false]);
        $folder = new Folder();
        $config = array_diff_key(self::$sandbox->config(), $arguments === [] ? ['key_file' => 0, 'kid' => 0] : []);
        // PHP's own allocator would hide a second use of memory from valgrind.
        $environment = ['USE_ZEND_ALLOC' => '0', Loader::VARIABLE => Repository::built('libpayments.so')]
            + ['TEST_CONFIG' => $folder->file('config.json', (string) json_encode($config))];
        $options = ['-d', 'pcre.jit=0', '-d', 'opcache.enable_cli=1'];
        $program = [PHP_BINARY, ...$options, __DIR__ . '/fixtures/destructors.php', ...$arguments];
        $php = new Php(['valgrind', '--quiet', '--error-exitcode=9', ...$program], $environment);
        [$status, $output, $errors] = $php->result();
        self::assertSame([0, ''], [$status, $errors], $output);
        [$before, $atTheEnd] = explode("end\n", $output);
        self::assertSame(
            "a variable: PE\na cycle that is collected: PE\ncollected\nan iterator: given_up\n",
            $before,
        );
        $places = explode("\n", trim($atTheEnd));
        sort($places);
        $expected = ['a closure: PE', 'a cycle at the end: PE', 'a fiber: PE', 'a generator: PE',
            'a global variable: PE', 'a shutdown function: PE', 'a static property: PE',
            'an iterator at the end: has ended'];
        self::assertSame($expected, $places);
    }

    /** @return iterable<string, array{list<string>}> */
    public static function clients(): iterable
    {
        yield 'a client' => [[]];
        yield 'a client with callbacks' => [['callbacks']];
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
