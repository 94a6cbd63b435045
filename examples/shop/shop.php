<?php

/**
 * A shop that sells mugs, beside merchant/payments.json, which
 * `payments sandbox --config-out merchant` writes; PAYMENTS_CONFIG names another.
 * Run `php -d ffi.enable=1 -S 127.0.0.1:8080 shop.php`, or this file under FPM,
 * and `php -d ffi.enable=1 shop.php follow` beside it.
 * SHOP_KEY is the owner's password: without it, nothing is refunded.
 */

declare(strict_types=1);

require getenv('LIBPAYMENTS_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

use Libpayments\{Client, FollowEnd};
use Libpayments\Exception\PaymentsException;

const CENTS = ['mug' => 1050, 'shirt' => 4500];
const PIX = ['country' => 'br', 'payment_type_code' => 'pix', 'currency_code' => 'BRL'];
const NUMBER = '[0-9a-f-]{6,16}';
const CALL_MS = 8000;
define('CONFIG', getenv('PAYMENTS_CONFIG') ?: 'merchant/payments.json');

$client = Client::fromFile(CONFIG);
$client->journal()->show('order-1'); // Fails without a journal.
@mkdir('orders');
if (PHP_SAPI === 'cli') {
    follow($client);
}
$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isOrder = preg_match('#^/orders/(' . NUMBER . ')(/refund)?$#D', $path, $found) === 1;
$action = $_SERVER['REQUEST_METHOD'] . ' ' . ($isOrder ? 'order' . ($found[2] ?? '') : $path);
$body = json_decode((string) file_get_contents('php://input'), true);
match ($action) {
    'GET /' => readfile(__DIR__ . '/shop.html'),
    'GET order' => look($found[1]),
    'PUT order' => pay($client, $found[1], read((array) $body)),
    'POST order/refund' => refund($client, $found[1], $body['key'] ?? null),
    default => http_response_code(404),
};

/** An order; empty if there is none. In your shop, this is a row of your database. */
function load(string $number): array
{
    return is_file("orders/$number.json") ? json_decode(file_get_contents("orders/$number.json"), true) : [];
}

/** Stores the members that $decide changes, and returns the order; empty if none change. */
function change(string $number, callable $decide): array
{
    $lock = fopen('orders/lock', 'c');
    flock($lock, LOCK_EX); // Other workers wait too.
    $order = load($number);
    $changes = $decide($order);
    if ($changes === []) {
        return [];
    }
    $draft = fopen('orders/draft', 'w');
    $isStored = fwrite($draft, json_encode($changes + $order)) && fsync($draft);
    $isStored && rename('orders/draft', "orders/$number.json") || throw new RuntimeException('the disk is full');
    return $changes + $order;
}

/** Begins a call for an order: until it has ended for sure, no other request makes one. */
function attempt(): array
{
    return ['attempt' => bin2hex(random_bytes(8)), 'until' => microtime(true) + CALL_MS / 1000 + 2];
}

/** Stores how a call ended, unless the order has moved on. */
function settle(string $number, array $was, array $changes): void
{
    $isSame = fn(array $order) => [$order['state'], $order['attempt']] === [$was['state'], $was['attempt']];
    change($number, fn(array $order) => $isSame($order) ? ['until' => 0] + $changes : []);
}

/** Learns how payments and refunds end, even if their page was closed, and delivers. */
function follow(Client $client): never
{
    // Between two queries, and between two orders.
    pcntl_async_signals(true);
    pcntl_signal(SIGALRM, deliverAll(...));
    deliverAll();
    while (true) {
        try {
            foreach ($client->follow(state: 'follow.state') as $end) {
                error_log("{$end->operation} of {$end->reference}: {$end->end}");
                $number = preg_replace('/^[^-]*-/', '', $end->refundCode ?? $end->reference);
                if (preg_match('/^' . NUMBER . '$/D', $number) === 1) {
                    change($number, fn(array $order) => take($order, $end));
                }
            }
        } catch (PaymentsException | RuntimeException $error) {
            error_log("follow: {$error->getMessage()}");
        }
        sleep(1);
    }
}

/** What changes by an end. If the order waits for no such end, ask a person. */
function take(array $order, FollowEnd $end): array
{
    [$amount, $currency] = [$end->amount ?? null, $end->currency ?? null];
    $isAmount = preg_match('/^\d+(\.\d+)?$/D', (string) $amount) === 1;
    $hash = $order['hash'] ?? $end->hash;
    $isIts = ($order['expects'] ?? null) === [$end->operation, $end->reference, $end->refundCode]
        && (!$isAmount || (float) $amount === (float) $order['total'])
        && ($currency ?? 'BRL') === 'BRL'
        // The service may show too little to compare.
        && (($isAmount && $currency !== null) || $hash === $end->hash);
    $isOpen = $isIts && in_array($order['state'], ['waiting', 'not_paid', 'refunding'], true);
    $state = $isOpen ? $order['ends'][$end->end] ?? null : null;
    return $state === null ? [] : ['state' => $state, 'hash' => $hash, 'tries' => 0, 'until' => 0];
}

/** Delivers an order. After a failure or a crash, it is called again. */
function deliver(array $order): void
{
    $isWritten = @file_put_contents('orders/deliveries.txt', "$order[reference]\n", FILE_APPEND);
    $isWritten !== false || throw new RuntimeException('the list cannot be written');
    error_log("deliver $order[reference]");
}

/** Delivers what is paid, with growing pauses between the tries. */
function deliverAll(): void
{
    $tried = function (array $order): array {
        $isDue = $order['state'] === 'delivering' && $order['until'] < microtime(true);
        $pause = min(5 * 2 ** ($order['tries'] ?? 0), 3600);
        return $isDue ? ['tries' => $order['tries'] + 1, 'until' => microtime(true) + $pause] : [];
    };
    foreach (glob('orders/*.json') as $file) {
        $number = basename($file, '.json');
        try {
            if ($order = change($number, $tried)) {
                deliver($order);
                settle($number, $order, ['state' => 'delivered']);
            }
        } catch (Throwable $error) {
            error_log("order-$number is delivered later: {$error->getMessage()}");
        }
    }
    pcntl_alarm(1);
}

/** Answers with what a page may know of an order, for which it asks every second. */
function look(string $number): void
{
    $base = json_decode(file_get_contents(CONFIG))->base_url;
    $sandbox = str_starts_with($base, 'http://127.0.0.1:') ? "$base/sandbox/#payments" : null;
    $order = load($number);
    $names = ['reference' => 0, 'total' => 0, 'state' => 0, 'problem' => 0];
    $names += ($order['state'] ?? null) === 'waiting' ? ['code' => 0, 'picture' => 0] : [];
    http_response_code($order === [] ? 404 : 200);
    header('Content-Type: application/json');
    echo json_encode(array_intersect_key($order, $names) + ['sandbox' => $sandbox]);
}

/** Stores an attempt, makes its call, stores how that ended, and answers. */
function call(string $number, callable $attempted, callable $make): void
{
    $order = change($number, $attempted);
    if ($order !== []) {
        settle($number, $order, $make($order));
    }
    look($number);
}

/** What a browser orders; null if that is no order. */
function read(array $body): ?array
{
    $items = array_intersect_key((array) ($body['items'] ?? []), CENTS);
    $payer = array_intersect_key((array) ($body['payer'] ?? []), ['name' => 0, 'email' => 0, 'document' => 0]);
    $isCount = fn($it) => is_int($it) && $it >= 0 && $it <= 99;
    $isText = fn($it) => is_string($it) && strlen($it) <= 100;
    if (count(array_filter($items, $isCount)) < 2 || count(array_filter($payer, $isText)) < 3) {
        return null;
    }
    $cents = CENTS['mug'] * $items['mug'] + CENTS['shirt'] * $items['shirt'];
    $total = sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    return $cents > 0 ? ['items' => $items, 'payer' => $payer, 'total' => $total] : null;
}

/** Pays an order. A second click finds the payment of the first. */
function pay(Client $client, string $number, ?array $asked): void
{
    $ends = ['confirmed' => 'delivering', 'cancelled' => 'cancelled'];
    $reference = "order-$number";
    $its = ['reference' => $reference, 'expects' => ['create_payment', $reference, null], 'ends' => $ends];
    $attempted = function (array $order) use ($asked, $its): array {
        $state = $order['state'] ?? 'not_paid';
        $isOpen = $state === 'waiting' && !isset($order['code']) && $order['until'] < microtime(true);
        return $state === 'not_paid' ? ['state' => 'waiting'] + $its + $asked + attempt()
            : ($isOpen ? attempt() : []);
    };
    $asked === null ? http_response_code(422)
        : call($number, $attempted, fn(array $order) => ensure($client, $order));
}

/** Finds or creates the payment, and returns what changes. */
function ensure(Client $client, array $order): array
{
    $its = ['merchant_payment_code' => $order['reference'], 'amount_total' => $order['total']];
    try {
        $found = $client->ensurePayment(['payment' => $order['payer'] + PIX + $its], timeoutMs: CALL_MS);
        return ['hash' => $found->hash(), 'code' => $found->qrCodeValue(), 'picture' => $found->qrSvg()];
    } catch (PaymentsException $error) {
        error_log("$order[reference]: {$error->getMessage()}");
        $problem = $error->getErrorCode();
        $state = $problem === 'reference_used' ? 'conflict' : 'waiting';
        return ['problem' => $problem, 'state' => $error->getOutcome() === 'not_executed' ? 'not_paid' : $state];
    }
}

/** Refunds an order. A second click asks for the refund of the first. */
function refund(Client $client, string $number, mixed $given): void
{
    $attempted = function (array $order) use ($number): array {
        $state = $order['state'] ?? null;
        if ($state === 'delivering' || $state === 'delivered') {
            $count = ($order['refunds'] ?? 0) + 1;
            $expects = ['refund_payment', $order['hash'], "r$count-$number"];
            $its = ['expects' => $expects, 'ends' => ['confirmed' => 'refunded', 'cancelled' => $state]];
            return ['state' => 'refunding', 'refunds' => $count, 'isNew' => true] + $its + attempt();
        }
        $isOpen = $state === 'refunding' && $order['until'] < microtime(true);
        return $isOpen ? ['isNew' => false] + attempt() : [];
    };
    $key = (string) getenv('SHOP_KEY');
    $key === '' || !is_string($given) || !hash_equals($key, $given) ? http_response_code(403)
        : call($number, $attempted, fn(array $order) => ['state' => refundOnce($client, $order)]);
}

/** Asks for a refund, or sends it, and returns the state. The journal sends none twice. */
function refundOnce(Client $client, array $order): string
{
    [, $hash, $code] = $order['expects'];
    $refund = ['hash' => $hash, 'amount' => $order['total'], 'merchant_refund_code' => $code];
    $refund += ['operation' => 'request', 'description' => 'order returned'];
    try {
        $refunds = $client->queryPayment(['hash' => $hash], timeoutMs: CALL_MS / 2)->refunds();
        $found = array_filter($refunds, fn($it) => $it->merchantRefundCode() === $code);
        if ($found === []) {
            $client->refundPayment($refund, timeoutMs: CALL_MS / 2);
        }
        $states = ['CA' => $order['ends']['cancelled'], 'CO' => $order['ends']['confirmed']];
        return $states[implode(',', array_map(fn($it) => $it->status(), $found))] ?? 'refunding';
    } catch (PaymentsException $error) {
        error_log("$code: {$error->getMessage()}");
        $isNone = $order['isNew'] && $error->getOutcome() === 'not_executed';
        return $isNone ? $order['ends']['cancelled'] : 'refunding';
    }
}
