<?php

/**
 * Queries open orders until each is paid or cancelled, for shops that get no
 * notifications. Run it from cron, or keep it running with --wait SECONDS.
 *
 * Usage: php follow_up.php [--wait SECONDS] ORDER...
 *
 * Prints one line per order, and exits with 0 when no order is open. An order
 * whose payment is not found stays open. When the payment should have appeared
 * by now, the output says that a person must decide. The configuration is that
 * of checkout.php.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\PaymentResponse;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';
require __DIR__ . '/orders.php';

/** The core's code for a refusal that says "not found", and for no other. */
const NOT_FOUND = 'payment_not_found';

$orders = array_slice($argv, 1);
$wait = 0;
if (($orders[0] ?? '') === '--wait') {
    $wait = (int) ($orders[1] ?? 0);
    $orders = array_slice($orders, 2);
}
if ($orders === []) {
    fwrite(STDERR, "usage: follow_up.php [--wait SECONDS] ORDER...\n");
    exit(2);
}

/**
 * The next step for an order: `deliver`, `release`, or null while it is open.
 */
function decide(PaymentResponse $payment): ?string
{
    if ($payment->isPaid()) {
        return 'deliver';
    }
    // The service may add states; unknown ones count as open.
    return $payment->status() === PaymentResponse::CANCELLED ? 'release' : null;
}

$until = microtime(true) + $wait;
$pause = 0.5;
$overdue = [];
try {
    $client = is_file('payments.json') ? Client::fromFile('payments.json') : Client::fromEnv();
    while (true) {
        foreach ($orders as $index => $order) {
            try {
                $payment = $client->queryPayment($query = ['merchant_payment_code' => $order]);
                // This compares it with the journal, if there is one, and asks once.
                $decision = decide($payment->isPaid() ? $client->waitForPayment($query) : $payment);
                unset($overdue[$order]);
            } catch (ConfigException $error) {
                throw $error;
            } catch (PaymentsException $error) {
                // A query changes nothing, so it is repeated in the next round.
                fwrite(STDERR, "$order: {$error->getMessage()}\n");
                if ($error->getErrorCode() === NOT_FOUND && Shop\is_overdue($order)) {
                    $overdue[$order] = true;
                }
                $pause = max($pause, (float) ($error->getRetryAfter() ?? 0));
                continue;
            }
            if ($decision !== null) {
                echo "$order: $decision\n";
                unset($orders[$index]);
            }
        }
        if ($orders === [] || microtime(true) + $pause > $until) {
            break;
        }
        usleep((int) ($pause * 1_000_000));
        $pause = min(2 * $pause, 60.0);
    }
} catch (ConfigException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    exit(2);
}
foreach ($orders as $order) {
    $note = isset($overdue[$order]) ? ', and still not found: a person must decide' : '';
    echo "$order: open$note\n";
}
exit($orders === [] ? 0 : 1);
