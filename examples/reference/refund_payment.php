<?php

// Generated from spec/operations by generate/templates/program.php.jinja; do not edit. To update: cargo xtask generate

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$payment = $client->queryPayment(['merchant_payment_code' => 'order-1003']);
$response = $client->refundPayment([
    'hash' => $payment->hash(),
    'amount' => '50.05',
    'description' => 'one of two items came back',
    'merchant_refund_code' => 'refund-1001',
]);
echo $response->raw(), "\n";
