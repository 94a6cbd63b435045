<?php

/**
 * Takes a payment with the package as Composer installs it: pay.php AUTOLOAD CONFIGURATION REFERENCE.
 */

declare(strict_types=1);

require $argv[1];

$answer = Libpayments\Client::fromFile($argv[2])->createPayment(['payment' => [
    'name' => 'Maria Souza', 'email' => 'maria@example.com', 'document' => '853.513.468-93',
    'country' => 'br', 'currency_code' => 'BRL', 'amount_total' => '100.10',
    'payment_type_code' => 'pix', 'merchant_payment_code' => $argv[3],
]]);
echo 'paid ', Libpayments\Library::version(), " $argv[3] ", $answer->status(), ' with ', Libpayments\Library::file(), "\n";
