<?php

require 'vendor/autoload.php';

$client = Libpayments\Client::fromFile('merchant/payments.json');
// `accessToken()` is a secret, for the header "Authorization: Bearer …".
$token = $client->accessToken();
echo json_encode(['scope' => $token->scope()]), "\n";
