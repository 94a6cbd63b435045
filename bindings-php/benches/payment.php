<?php

declare(strict_types=1);

/** The measured request. */
return ['payment' => [
    'name' => 'Maria Souza',
    'email' => 'maria@example.com',
    'country' => 'br',
    'payment_type_code' => 'pix',
    'merchant_payment_code' => 'order-1001',
    'currency_code' => 'BRL',
    'amount_total' => '100.10',
    'document' => '853.513.468-93',
]];
