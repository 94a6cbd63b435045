<?php

/**
 * Pays an order with PIX and prints the QR code for the payer.
 *
 * Usage: php checkout.php ORDER AMOUNT      (for example: order-1001 100.10)
 *
 * Exits with 0 if the payment exists, 1 if nothing was executed, 2 if the
 * configuration is wrong, and 3 if the outcome is not known yet: follow_up.php
 * settles such an order. An order is never sent twice.
 *
 * Configuration: payments.json in the working folder, or the variables
 * PAYMENTS_BASE_URL and so on. In your own project, require
 * vendor/autoload.php instead.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\MayHaveBeenExecuted;
use Libpayments\Exception\PaymentsException;
use Libpayments\PaymentResponse;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';
require __DIR__ . '/orders.php';

/** The number of queries for a payment whose response was lost. */
const QUERIES = 4;

[, $order, $amount] = $argv + [1 => 'order-1001', 2 => '100.10'];

/**
 * Sends the payment at most once. Returns null while the outcome is not known.
 */
function pay(Client $client, string $order, string $amount): ?PaymentResponse
{
    // Save the reference before the call. Do not rely on the service to refuse
    // a reference that was used before.
    if (!Shop\keep($order)) {
        fwrite(STDERR, "$order was sent before, asking\n");
        return find($client, $order);
    }
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
        ]], timeoutMs: 1000 * Shop\CALL_SECONDS);
    } catch (MayHaveBeenExecuted $error) {
        fwrite(STDERR, "{$error->getOutcome()}, asking: {$error->getMessage()}\n");
        return find($client, $order);
    } catch (PaymentsException $error) {
        // With every other exception, nothing was executed.
        Shop\forget($order);
        throw $error;
    }
}

/**
 * Queries the payment of an order by reference, until the service finds it.
 * Try such a query with your service before you depend on it.
 */
function find(Client $client, string $order): ?PaymentResponse
{
    for ($query = 0; $query < QUERIES; $query++) {
        usleep($query * 500_000);
        try {
            return $client->queryPayment(['merchant_payment_code' => $order]);
        } catch (PaymentsException $error) {
            // A failed query never proves that there is no payment. Even after
            // "not found", it may still appear.
            fwrite(STDERR, "asking: {$error->getMessage()}\n");
        }
    }
    return null;
}

try {
    $client = is_file('payments.json') ? Client::fromFile('payments.json') : Client::fromEnv();
    $payment = pay($client, $order, $amount);
    if ($payment === null) {
        fwrite(STDERR, "$order: not known yet; follow_up.php settles it\n");
        exit(3);
    }
    echo "hash: {$payment->hash()}\n";
    echo "status: {$payment->status()}\n";
    echo 'pay with: ', $payment->qrCodeValue() ?? 'no code: query the payment', "\n";
} catch (PaymentsException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    // The command `payments` uses the same codes: 2 is "fix the configuration".
    exit($error->getKind() === 'config' ? 2 : 1);
}
