<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

use Libpayments\Client;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use Monolog\Handler\TestHandler;
use Monolog\Logger;
use PHPUnit\Framework\TestCase;

require_once 'Monolog/autoload.php';

/**
 * Events on Monolog, the logger of Symfony and Laravel.
 */
final class MonologTest extends TestCase
{
    public function testMonologGetsEventsAsMessageAndContext(): void
    {
        $sandbox = new Sandbox();
        $handler = new TestHandler();
        $client = new Client($sandbox->config(), logger: new Logger('payments', [$handler]));
        $client->createPayment(Samples::payment());
        self::assertFalse($handler->hasWarningRecords());
        self::assertTrue($handler->hasDebugThatMatches('/^request_ended call=\d+ reference=order-1001 hash=/'));
        $records = $handler->getRecords();
        self::assertSame('request_started', $records[0]['context']['event']);
        self::assertSame('create_payment', $records[0]['context']['operation']);
    }
}
