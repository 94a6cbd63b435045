<?php

/**
 * Pays an order with PIX and prints what the payer scans.
 *
 * Usage: php checkout.php ORDER AMOUNT      (for example: order-1001 100.10)
 *
 * Configuration: payments.json in the working folder, or the variables
 * PAYMENTS_BASE_URL and so on. In your own project, require
 * vendor/autoload.php instead.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\RejectedException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\PaymentAnswer;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';

[, $order, $amount] = $argv + [1 => 'order-1001', 2 => '100.10'];

/**
 * Pays once, whatever happens: null when it is known that nothing was paid.
 */
function pay(Client $client, string $order, string $amount): ?PaymentAnswer
{
    try {
        return $client->createPayment(['payment' => [
            'name' => 'Maria Souza',
            'email' => 'maria@example.com',
            'document' => '853.513.468-93',
            'country' => 'br',
            'currency_code' => 'BRL',
            'payment_type_code' => 'pix',
            'merchant_payment_code' => $order,
            'amount_total' => $amount,
        ]]);
    } catch (UnknownOutcome $error) {
        // The payment may exist. Never send it again before that is known.
        fwrite(STDERR, "unknown, asking: {$error->getMessage()}\n");
        return find($client, $order);
    }
    // Every other exception says that nothing was executed: let it through.
}

/**
 * The payment of an order, if there is one.
 */
function find(Client $client, string $order): ?PaymentAnswer
{
    try {
        return $client->queryPayment(['merchant_payment_code' => $order]);
    } catch (RejectedException) {
        return null;
    }
}

try {
    $client = is_file('payments.json') ? Client::fromFile('payments.json') : Client::fromEnv();
    $payment = pay($client, $order, $amount);
    if ($payment === null) {
        fwrite(STDERR, "$order was not paid; it may be sent again\n");
        exit(1);
    }
    echo "hash: {$payment->hash()}\n";
    echo "status: {$payment->status()}\n";
    echo "pay with: {$payment->qrCodeValue()}\n";
} catch (PaymentsException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    // As the command `payments`: 3 is "may have been executed", 2 is "mend the configuration".
    exit($error->mayHaveBeenExecuted() ? 3 : ($error->getKind() === 'config' ? 2 : 1));
}
