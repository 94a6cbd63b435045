<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use PHPUnit\Framework\TestCase;

/** Numbers that are not amounts. */
final class FloatsTest extends TestCase
{
    public function testNoSettingChangesTheDigitsOfAFloat(): void
    {
        $client = new Client(['base_url' => 'https://api.example', 'integration_key' => 'key-1']);
        $before = [ini_set('serialize_precision', '17'), ini_set('precision', '5')];
        try {
            $extra = ['rate' => 0.1, 'list' => [1 / 3, -2.5, 100.0, -0.0, 0.00001, 1.25e-7]];
            $body = $client->prepare('refund_payment', ['hash' => 'a', 'extra' => $extra])->body();
        } finally {
            ini_set('serialize_precision', (string) $before[0]);
            ini_set('precision', (string) $before[1]);
        }
        $digits = '0.3333333333333333,-2.5,100,0,0.00001,1.25e-7';
        self::assertStringEndsWith('"hash":"a","rate":0.1,"list":[' . $digits . ']}', $body);
    }
}
