<?php

/**
 * Queries a payment and logs the client's events, one line for each.
 *
 * Usage: php events.php ORDER
 *
 * Configuration: payments.json in the working folder. In your own project,
 * require vendor/autoload.php instead, and pass your logger to events().
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;

require dirname(__DIR__, 2) . '/bindings-php/autoload.php';

/**
 * An observer for a PSR-3 logger. Events contain no secrets and no payer data,
 * so they can be logged as they are.
 */
function events(object $logger): Closure
{
    return static function (array $event) use ($logger): void {
        $level = match (true) {
            // Money may have moved: someone must find out.
            ($event['outcome'] ?? null) === 'unknown' && $event['code'] !== 'in_progress' => 'alert',
            isset($event['kind']) || $event['event'] === 'store_bypassed' => 'warning',
            $event['event'] === 'request_ended' => 'info',
            default => 'debug',
        };
        $logger->log($level, "payments: {$event['event']}", $event);
    };
}

// Stands in for your logger.
$logger = new class {
    /** @param array<string, mixed> $context */
    public function log(string $level, string $message, array $context): void
    {
        unset($context['event']);
        echo str_pad($level, 8), $message, ' ', json_encode($context, JSON_UNESCAPED_SLASHES), "\n";
    }
};

$client = Client::fromFile('payments.json', observer: events($logger));
try {
    $client->queryPayment(['merchant_payment_code' => $argv[1] ?? 'order-1001']);
} catch (PaymentsException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    exit(1);
}
