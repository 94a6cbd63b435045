<?php

/**
 * Makes the calls that ffi-c/benches/php.rs measures, and prints how many
 * nanoseconds each took. The first line on standard input is the
 * configuration; each further line says which call to make and how often:
 *
 *     library 10       calls through this package
 *     curl 10          the same signed request by ext-curl and openssl_sign
 *     new-client 10    calls with a new client each, as under PHP-FPM
 *     new-handle 10    as curl, with a new handle each
 *     client 10        a client beside one with the same configuration; no call
 *     observed 10      the same, with an observer
 */

declare(strict_types=1);

use Libpayments\Client;

require dirname(__DIR__) . '/autoload.php';

$config = json_decode((string) fgets(STDIN), true, 8, JSON_THROW_ON_ERROR);
$request = require __DIR__ . '/payment.php';
$client = new Client($config);

$newHandle = static function () use ($config): CurlHandle {
    $curl = curl_init($config['base_url'] . '/ws/direct');
    curl_setopt_array($curl, [
        CURLOPT_POST => true,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TCP_NODELAY => true,
        CURLOPT_CAINFO => $config['ca_file'] ?? null,
    ]);
    return $curl;
};
$newKey = static fn (): OpenSSLAsymmetricKey => openssl_pkey_get_private($config['key']);
$encode = static fn (string $bytes): string => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
$protected = $encode((string) json_encode([
    'alg' => 'RS256',
    'kid' => $config['kid'],
    'b64' => false,
    'crit' => ['b64'],
]));
$send = static function (
    CurlHandle $curl,
    OpenSSLAsymmetricKey $key,
) use (
    $protected,
    $encode,
    $config,
    $request,
): bool {
    // A PHP number would lose the digits of an amount, so it is inserted as text.
    $request['integration_key'] = $config['integration_key'];
    $body = (string) json_encode($request, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    $body = str_replace('"100.10"', '100.10', $body);
    openssl_sign("$protected.$body", $signature, $key, OPENSSL_ALGO_SHA256);
    curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
    curl_setopt($curl, CURLOPT_HTTPHEADER, [
        'Content-Type: application/json',
        "X-JWS-Signature: $protected.." . $encode($signature),
    ]);
    $response = json_decode((string) curl_exec($curl), true);
    return isset($response['payment']['hash']);
};

$observer = static function (array $event): void {
};
[$curl, $key] = [$newHandle(), $newKey()];
$acts = [
    'library' => static fn (): bool => $client->createPayment($request)->hash() !== null,
    'curl' => static fn (): bool => $send($curl, $key),
    'new-client' => static fn (): bool => (new Client($config))->createPayment($request)->hash() !== null,
    'new-handle' => static fn (): bool => $send($newHandle(), $newKey()),
    'client' => static fn (): bool => new Client($config) instanceof Client,
    'observed' => static fn (): bool => new Client($config, observer: $observer) instanceof Client,
];

while (($line = fgets(STDIN)) !== false) {
    [$name, $times] = explode(' ', trim($line));
    $act = $acts[$name];
    $took = [];
    for ($time = 0; $time < (int) $times; $time++) {
        $started = hrtime(true);
        $isMade = $act();
        $took[] = $isMade ? hrtime(true) - $started : 'failed';
    }
    echo implode(' ', $took), "\n";
}
