<?php

// Generated from spec/operations by generate/templates/program.php.jinja; do not edit. To update: cargo xtask generate

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
$response = $client->createPayout([
    'external_reference' => 'payout-1001',
    'country' => 'br',
    'currency_code' => 'BRL',
    'amount' => '10.50',
    'target' => 'pix_key',
    'target_account' => 'maria@example.com',
    'payee' => ['name' => 'Maria Souza', 'document' => '853.513.468-93', 'document_type' => 'CPF'],
]);
echo $response->raw(), "\n";
