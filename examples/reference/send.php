<?php

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$response = $client->send(
    'POST',
    '/ws/payout/commit',
    '{"external_reference":"payout-1001"}',
    reference: 'payout-1001',
);
echo $response->raw(), "\n";
