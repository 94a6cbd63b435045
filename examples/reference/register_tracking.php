<?php

// Generated from spec/operations by generate/templates/program.php.jinja; do not edit. To update: cargo xtask generate

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$response = $client->registerTracking([
    'order_number' => 'order-1001',
    'email' => 'maria@example.com',
    'tracking_code' => [
        'AA123456785BR',
        ['tracking_code' => 'AA123456799BR', 'items' => [['name' => 'Mug', 'quantity' => 2]]],
    ],
]);
echo $response->raw(), "\n";
