<?php

/**
 * Asks for open orders until each is paid or cancelled: for shops that get no
 * notification. Run it from cron, or let it run with --wait SECONDS.
 *
 * Usage: php follow_up.php [--wait SECONDS] ORDER...
 *
 * Prints one line per order, and exits with 0 when none is open any more.
 * Configuration is that of checkout.php.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\RejectedException;
use Libpayments\PaymentAnswer;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';

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
 * What to do with an order: `deliver`, `release`, or null while it is open.
 */
function decide(PaymentAnswer $payment): ?string
{
    if ($payment->isPaid()) {
        return 'deliver';
    }
    // Other states may be added by the service: they count as open.
    return $payment->status() === PaymentAnswer::CANCELLED ? 'release' : null;
}

$until = microtime(true) + $wait;
$pause = 0.5;
try {
    $client = is_file('payments.json') ? Client::fromFile('payments.json') : Client::fromEnv();
    while (true) {
        foreach ($orders as $index => $order) {
            try {
                $decision = decide($client->queryPayment(['merchant_payment_code' => $order]));
            } catch (RejectedException $error) {
                $decision = "unknown to the service ({$error->getServiceCode()})";
            } catch (ConfigException $error) {
                throw $error;
            } catch (PaymentsException $error) {
                // A query changes nothing: it is asked again in the next round.
                fwrite(STDERR, "$order: {$error->getMessage()}\n");
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
    echo "$order: open\n";
}
exit($orders === [] ? 0 : 1);
