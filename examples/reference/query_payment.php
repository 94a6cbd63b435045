<?php

// Generated from spec/operations by generate/templates/program.php.jinja; do not edit. To update: cargo xtask generate

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$response = $client->queryPayment(['merchant_payment_code' => 'order-1001']);
echo $response->raw(), "\n";
