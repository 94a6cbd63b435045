<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Php;
use PHPUnit\Framework\TestCase;

/**
 * The time that a callback has.
 */
final class CallContextTest extends TestCase
{
    /**
     * Runs in its own process, in which the wall clock advances by an hour each time that it is
     * read.
     */
    private const CODE = <<<'PHP'
        namespace Libpayments {
            function microtime(bool $asFloat = false): float
            {
                static $hours = 0;
                return \microtime(true) + 3600 * ++$hours;
            }
        }
        namespace {
            require getenv('TEST_AUTOLOAD');
            $left = (new Libpayments\CallContext(60_000_000))->remainingMs();
            $short = new Libpayments\CallContext(5);
            usleep(6_000);
            echo json_encode([$left > 59_000_000 && $left <= 60_000_000, $short->hasEnded(), $short->remainingMs()]);
        }
        PHP;

    public function testAChangedClockDoesNotEndACall(): void
    {
        $environment = ['TEST_AUTOLOAD' => dirname(__DIR__) . '/autoload.php'];
        self::assertSame('[true,true,0]', Php::run(self::CODE, [], $environment));
    }
}
