<?php

/**
 * A shop that sells mugs, beside merchant/payments.json, which
 * `payments sandbox --config-out merchant` writes; PAYMENTS_CONFIG names another.
 * Run `php -d ffi.enable=1 -S 127.0.0.1:8080 shop.php`, or this file under FPM,
 * and `php -d ffi.enable=1 shop.php follow` beside it.
 */

declare(strict_types=1);

require getenv('LIBPAYMENTS_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

use Libpayments\{Client, FollowEnd};
use Libpayments\Exception\PaymentsException;

const CENTS = ['mug' => 1050, 'shirt' => 4500];
const ENDS = [
    'create_payment' => ['confirmed' => 'paid', 'cancelled' => 'cancelled'],
    'refund_payment' => ['confirmed' => 'refunded', 'cancelled' => 'paid'],
];

$client = Client::fromFile(getenv('PAYMENTS_CONFIG') ?: 'merchant/payments.json');
if (PHP_SAPI === 'cli') {
    follow($client);
}
$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isOrder = preg_match('#^/orders/([0-9a-f-]{6,20})(/refund)?$#D', $path, $found) === 1;
$action = $_SERVER['REQUEST_METHOD'] . ' ' . ($isOrder ? 'order' . ($found[2] ?? '') : $path);
match ($action) {
    'GET /' => readfile(__DIR__ . '/shop.html'),
    'PUT order' => pay($client, $found[1], json_decode((string) file_get_contents('php://input'), true)),
    'GET order' => is_file("orders/$found[1].json") ? answer(200, order($found[1])) : http_response_code(404),
    'POST order/refund' => refund($client, $found[1]),
    default => http_response_code(404),
};

/** Pays an order. A second click finds the payment of the first. */
function pay(Client $client, string $number, array $asked): void
{
    if (!is_file("orders/$number.json")) { // Saved before the call.
        @mkdir('orders');
        $cents = 0;
        foreach (CENTS as $name => $price) {
            $cents += $price * (int) $asked['items'][$name];
        }
        $order = ['reference' => "order-$number", 'total' => sprintf('%d.%02d', intdiv($cents, 100), $cents % 100)];
        file_put_contents("orders/$number.json", json_encode($order + ['state' => 'waiting']), LOCK_EX);
    }
    $payment = [
        'name' => $asked['payer']['name'],
        'email' => $asked['payer']['email'],
        'document' => $asked['payer']['document'],
        'country' => 'br',
        'payment_type_code' => 'pix',
        'currency_code' => 'BRL',
        'merchant_payment_code' => "order-$number",
        'amount_total' => order($number)['total'],
    ];
    try {
        $ensured = $client->ensurePayment(['payment' => $payment]);
    } catch (PaymentsException $error) {
        fail($error, "order-$number", 'Not paid');
        return;
    }
    $code = ['code' => $ensured->qrCodeValue(), 'picture' => $ensured->qrSvg()];
    order($number, ['hash' => $ensured->hash()] + $code);
    answer(200, order($number));
}

/** Refunds an order. A second click is refused by the journal. */
function refund(Client $client, string $number): void
{
    $order = order($number);
    try {
        $client->refundPayment([
            'hash' => $order['hash'],
            'operation' => 'request',
            'amount' => $order['total'],
            'description' => 'order returned',
            'merchant_refund_code' => "refund-$number",
        ]);
    } catch (PaymentsException $error) {
        if (!$error->mayHaveBeenExecuted()) {
            fail($error, "refund of order-$number", 'Not refunded');
            return;
        }
        error_log("refund of order-$number: {$error->getMessage()}");
    }
    order($number, ['state' => 'refunding']);
    answer(200, order($number));
}

/** Learns how payments and refunds end, even if their page was closed. */
function follow(Client $client): never
{
    while (true) {
        try {
            foreach ($client->follow(state: 'follow.state') as $end) {
                error_log("{$end->operation} of {$end->reference}: {$end->end}");
                take($end);
            }
        } catch (PaymentsException $error) {
            error_log("follow: {$error->getMessage()}");
        }
        sleep(1);
    }
}

/** Changes the order, and delivers it once it is paid. */
function take(FollowEnd $end): void
{
    $number = preg_replace('/^(order|refund)-/', '', $end->refundCode ?? $end->reference);
    $state = ENDS[$end->operation][$end->end] ?? null;
    if ($state === null || !is_file("orders/$number.json")) {
        return; // Ask a person; or it is a payment of another program.
    }
    if (order($number, ['state' => $state])['state'] === 'waiting' && $state === 'paid') {
        error_log("deliver order-$number");
    }
}

/** Returns an order, and saves changes of it. In your shop, this is a row of your database. */
function order(string $number, array $changes = []): array
{
    $file = fopen("orders/$number.json", 'r+');
    flock($file, LOCK_EX);
    $order = json_decode((string) stream_get_contents($file), true);
    if ($changes !== []) {
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, (string) json_encode($changes + $order));
    }
    return $order;
}

function answer(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body);
}

function fail(PaymentsException $error, string $about, string $what): void
{
    error_log("$about: {$error->getMessage()}");
    $error->mayHaveBeenExecuted()
        ? answer(202, ['message' => 'One moment, please: click again.'])
        : answer(422, ['message' => "$what: {$error->getMessage()}"]);
}
