<?php

/**
 * Makes the calls that ffi-c/benches/php.rs measures, and prints how many
 * nanoseconds each took. The first line on standard input is the
 * configuration, each further one says what to do and how often:
 *
 *     library 10   calls through this package
 *     curl 10      the same signed request by ext-curl and openssl_sign
 *     load 1       how long it took to load the library and make the client
 */

declare(strict_types=1);

use Libpayments\Client;

require dirname(__DIR__) . '/autoload.php';

$config = json_decode((string) fgets(STDIN), true, 8, JSON_THROW_ON_ERROR);
$request = ['payment' => [
    'name' => 'Maria Souza',
    'email' => 'maria@example.com',
    'country' => 'br',
    'payment_type_code' => 'pix',
    'merchant_payment_code' => 'order-1001',
    'currency_code' => 'BRL',
    'amount_total' => '100.10',
    'document' => '853.513.468-93',
]];

$started = hrtime(true);
$client = new Client($config);
$loaded = hrtime(true) - $started;

$key = openssl_pkey_get_private($config['key']);
$curl = curl_init($config['base_url'] . '/ws/direct');
curl_setopt_array($curl, [CURLOPT_POST => true, CURLOPT_RETURNTRANSFER => true, CURLOPT_TCP_NODELAY => true]);

$encode = static fn (string $bytes): string => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
$protected = $encode((string) json_encode([
    'alg' => 'RS256',
    'kid' => $config['kid'],
    'b64' => false,
    'crit' => ['b64'],
]));

$byLibrary = static function () use ($client, $request): bool {
    return $client->createPayment($request)->hash() !== null;
};

$byCurl = static function () use ($curl, $key, $protected, $encode, $config, $request): bool {
    // PHP has no number that keeps the digits of an amount: it is put in by hand.
    $request['integration_key'] = $config['integration_key'];
    $body = (string) json_encode($request, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    $body = str_replace('"100.10"', '100.10', $body);
    openssl_sign("$protected.$body", $signature, $key, OPENSSL_ALGO_SHA256);
    curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
    curl_setopt($curl, CURLOPT_HTTPHEADER, [
        'Content-Type: application/json',
        "X-JWS-Signature: $protected.." . $encode($signature),
    ]);
    $answer = json_decode((string) curl_exec($curl), true);
    return isset($answer['payment']['hash']);
};

while (($line = fgets(STDIN)) !== false) {
    [$name, $times] = explode(' ', trim($line));
    if ($name === 'load') {
        echo "$loaded\n";
        continue;
    }
    $act = ['library' => $byLibrary, 'curl' => $byCurl][$name];
    $took = [];
    for ($time = 0; $time < (int) $times; $time++) {
        $started = hrtime(true);
        $isMade = $act();
        $took[] = $isMade ? hrtime(true) - $started : 'failed';
    }
    echo implode(' ', $took), "\n";
}
