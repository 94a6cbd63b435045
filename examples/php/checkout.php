<?php

/**
 * Pays an order with PIX and prints what the payer scans.
 *
 * Usage: php checkout.php ORDER AMOUNT      (for example: order-1001 100.10)
 *
 * Exits with 0 when the payment was found, 1 when nothing was executed, and 3
 * when nobody can say yet: follow_up.php settles such an order. An order that
 * was sent once is never sent again.
 *
 * Configuration: payments.json in the working folder, or the variables
 * PAYMENTS_BASE_URL and so on. In your own project, require
 * vendor/autoload.php instead.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\PaymentAnswer;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';
require __DIR__ . '/orders.php';

/** How often the service is asked for a payment whose answer was lost. */
const QUERIES = 4;

[, $order, $amount] = $argv + [1 => 'order-1001', 2 => '100.10'];

/**
 * Pays once, whatever happens: null while nobody can say what became of it.
 */
function pay(Client $client, string $order, string $amount): ?PaymentAnswer
{
    // The reference is kept before the call. Nothing relies on the service to
    // refuse a reference that was used before.
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
    } catch (UnknownOutcome $error) {
        fwrite(STDERR, "unknown, asking: {$error->getMessage()}\n");
        return find($client, $order);
    } catch (PaymentsException $error) {
        // Every other exception says that nothing was executed.
        Shop\forget($order);
        throw $error;
    }
}

/**
 * The payment of an order, once the service finds it.
 */
function find(Client $client, string $order): ?PaymentAnswer
{
    for ($query = 0; $query < QUERIES; $query++) {
        usleep($query * 500_000);
        try {
            return $client->queryPayment(['merchant_payment_code' => $order]);
        } catch (PaymentsException $error) {
            // Neither "not found" nor any other failure of a query says that
            // there is no payment: it may still turn up.
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
    echo "pay with: {$payment->qrCodeValue()}\n";
} catch (PaymentsException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    // As the command `payments`: 2 is "fix the configuration".
    exit($error->getKind() === 'config' ? 2 : 1);
}
