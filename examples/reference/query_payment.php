<?php

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$response = $client->queryPayment(['merchant_payment_code' => 'order-1001']);
echo $response->raw(), "\n";
