<?php

/**
 * A shop that sells mugs, beside merchant/payments.json, which
 * `payments sandbox --config-out merchant` writes; PAYMENTS_CONFIG names another.
 * Run `php -d ffi.enable=1 -S 127.0.0.1:8080 shop.php`, or this file under FPM, and
 * `php -d ffi.enable=1 shop.php follow` beside it. Only SHOP_KEY, a password, refunds.
 */

declare(strict_types=1);

require getenv('LIBPAYMENTS_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

use Libpayments\{Client, FollowEnd};
use Libpayments\Exception\PaymentsException;

const CENTS = ['mug' => 1050, 'shirt' => 4500];
const PIX = ['country' => 'br', 'payment_type_code' => 'pix', 'currency_code' => 'BRL'];
const NUMBER = '[0-9a-f-]{6,16}';
const CALL_MS = 8000;

$config = getenv('PAYMENTS_CONFIG') ?: 'merchant/payments.json';
$client = Client::fromFile($config);
$client->journal()->show('order-1'); // Fails without a journal.
@mkdir('orders');
if (PHP_SAPI === 'cli') {
    follow($client);
}
$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isOrder = preg_match('#^/orders/(' . NUMBER . ')(/refund)?$#D', $path, $found) === 1;
$action = $_SERVER['REQUEST_METHOD'] . ' ' . ($isOrder ? 'order' . ($found[2] ?? '') : $path);
$body = json_decode((string) file_get_contents('php://input'), true);
$order = match ($action) {
    'GET /' => exit((int) !readfile(__DIR__ . '/shop.html')),
    'GET order' => load($found[1]),
    'PUT order' => pay($client, $found[1], (array) $body),
    'POST order/refund' => refund($client, $found[1], $body['key'] ?? null),
    default => 404,
};
// The members of an order for its page, which asks for them every second.
$base = json_decode((string) file_get_contents($config))->base_url;
$sandbox = str_starts_with($base, 'http://127.0.0.1:') ? "$base/sandbox/#payments" : null;
$shown = ['reference' => 0, 'total' => 0, 'state' => 0, 'problem' => 0];
$shown += ($order['state'] ?? null) === 'waiting' ? ['code' => 0, 'picture' => 0] : [];
header('Content-Type: application/json', response_code: is_int($order) ? $order : ($order === [] ? 404 : 200));
echo json_encode(array_intersect_key((array) $order, $shown) + ['sandbox' => $sandbox]);

/** An order; empty if there is none. In your shop, this is a row of your database. */
function load(string $number): array
{
    return json_decode((string) @file_get_contents("orders/$number.json"), true) ?? [];
}

/** Stores the members that $decide changes, and returns the order; empty if none change. */
function change(string $number, callable $decide): array
{
    $lock = fopen('orders/lock', 'c');
    flock($lock, LOCK_EX); // Other workers wait too.
    $order = load($number);
    if (($changes = $decide($order)) === []) {
        return [];
    }
    $draft = fopen('orders/draft', 'w');
    $isStored = fwrite($draft, json_encode($changes + $order)) && fsync($draft);
    $isStored && rename('orders/draft', "orders/$number.json") || throw new RuntimeException('not stored');
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
    $is = fn(array $it) => [$it['state'], $it['attempt']] === [$was['state'], $was['attempt']];
    change($number, fn(array $order) => $is($order) ? ['until' => 0] + $changes : []);
}

/** Learns how payments and refunds end, even if their page was closed, and delivers. */
function follow(Client $client): never
{
    pcntl_async_signals(true);
    pcntl_signal(SIGALRM, deliverAll(...));
    deliverAll();
    while (true) {
        try {
            foreach ($client->follow(state: 'follow.state') as $end) {
                error_log("{$end->operation} of {$end->reference}: {$end->end}");
                $number = preg_replace('/^[^-]*-/', '', $end->refundCode ?? $end->reference);
                pcntl_sigprocmask(SIG_BLOCK, [SIGALRM]); // It waits for the same lock.
                if (preg_match('/^' . NUMBER . '$/D', $number) === 1) {
                    change($number, fn(array $order) => take($order, $end));
                }
                pcntl_sigprocmask(SIG_UNBLOCK, [SIGALRM]);
            }
        } catch (PaymentsException | RuntimeException $error) {
            error_log("follow: {$error->getMessage()}");
        }
        pcntl_sigprocmask(SIG_UNBLOCK, [SIGALRM]);
        sleep(1);
    }
}

/** The changes by an end. If the order waits for no such end, ask a person. */
function take(array $order, FollowEnd $end): array
{
    [$amount, $currency] = [$end->amount ?? null, $end->currency ?? null];
    $isAmount = preg_match('/^\d+(\.\d+)?$/D', (string) $amount) === 1;
    $hash = $order['hash'] ?? $end->hash;
    $isIts = ($order['expects'] ?? null) === [$end->operation, $end->reference, $end->refundCode]
        && (!$isAmount || (float) $amount === (float) $order['total'])
        && ($currency ?? 'BRL') === 'BRL'
        && (($isAmount && $currency !== null) || $hash === $end->hash); // Not all is shown.
    $isIts = $isIts && in_array($order['state'], ['waiting', 'not_paid', 'refunding'], true);
    $changes = ['state' => $order['ends'][$end->end] ?? null, 'hash' => $hash, 'tries' => 0, 'until' => 0];
    return $isIts && $changes['state'] !== null ? $changes : [];
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

/** Pays an order. A second click finds the payment of the first. */
function pay(Client $client, string $number, array $body): array|int
{
    $items = array_intersect_key((array) ($body['items'] ?? []), CENTS);
    $payer = array_intersect_key((array) ($body['payer'] ?? []), ['name' => 0, 'email' => 0, 'document' => 0]);
    $isCount = fn($it) => is_int($it) && $it >= 0 && $it <= 99;
    $isText = fn($it) => is_string($it) && strlen($it) <= 100;
    $isOrder = count(array_filter($items, $isCount)) === 2 && count(array_filter($payer, $isText)) === 3;
    $cents = $isOrder ? CENTS['mug'] * $items['mug'] + CENTS['shirt'] * $items['shirt'] : 0;
    $asked = ['payer' => $payer, 'total' => sprintf('%d.%02d', intdiv($cents, 100), $cents % 100)];
    $asked += ['reference' => "order-$number", 'expects' => ['create_payment', "order-$number", null]];
    $asked += ['ends' => ['confirmed' => 'delivering', 'cancelled' => 'cancelled'], 'state' => 'waiting'];
    $attempted = function (array $order) use ($asked, $items): array {
        $state = $order['state'] ?? 'not_paid';
        $isOpen = $state === 'waiting' && !isset($order['code']) && $order['until'] < microtime(true);
        return $state === 'not_paid' ? $asked + ['items' => $items] + attempt() : ($isOpen ? attempt() : []);
    };
    if ($cents === 0 || ($order = change($number, $attempted)) === []) {
        return $cents === 0 ? 422 : load($number);
    }
    $its = ['merchant_payment_code' => $order['reference'], 'amount_total' => $order['total']];
    try {
        $found = $client->ensurePayment(['payment' => $order['payer'] + PIX + $its], timeoutMs: CALL_MS);
        $code = ['code' => $found->qrCodeValue(), 'picture' => $found->qrSvg()];
        settle($number, $order, ['hash' => $found->hash()] + $code);
    } catch (PaymentsException $error) {
        error_log("$order[reference]: {$error->getMessage()}");
        $state = $error->getErrorCode() === 'reference_used' ? 'conflict' : 'waiting';
        $state = $error->getOutcome() === 'not_executed' ? 'not_paid' : $state;
        settle($number, $order, ['state' => $state, 'problem' => $error->getErrorCode()]);
    }
    return load($number);
}

/** Refunds an order, or asks for its refund. The journal sends none twice. */
function refund(Client $client, string $number, mixed $given): array|int
{
    $key = (string) getenv('SHOP_KEY');
    $isOwner = $key !== '' && is_string($given) && hash_equals($key, $given);
    $attempted = function (array $order) use ($number): array {
        [$state, $count] = [$order['state'] ?? null, ($order['refunds'] ?? 0) + 1];
        if ($state === 'delivering' || $state === 'delivered') {
            $expects = ['refund_payment', $order['hash'], "r$count-$number"];
            $its = ['expects' => $expects, 'ends' => ['confirmed' => 'refunded', 'cancelled' => $state]];
            return ['state' => 'refunding', 'refunds' => $count, 'isNew' => true] + $its + attempt();
        }
        $isOpen = $state === 'refunding' && $order['until'] < microtime(true);
        return $isOpen ? ['isNew' => false] + attempt() : [];
    };
    if (!$isOwner || ($order = change($number, $attempted)) === []) {
        return $isOwner ? load($number) : 403;
    }
    [, $hash, $code] = $order['expects'];
    $refund = ['hash' => $hash, 'amount' => $order['total'], 'merchant_refund_code' => $code];
    $refund += ['operation' => 'request', 'description' => 'order returned'];
    try {
        $refunds = $client->queryPayment(['hash' => $hash], timeoutMs: CALL_MS / 2)->refunds();
        $found = array_filter($refunds, fn($it) => $it->merchantRefundCode() === $code);
        $found === [] && $client->refundPayment($refund, timeoutMs: CALL_MS / 2);
        $states = ['CA' => $order['ends']['cancelled'], 'CO' => $order['ends']['confirmed']];
        $state = $states[implode(',', array_map(fn($it) => $it->status(), $found))] ?? 'refunding';
    } catch (PaymentsException $error) {
        error_log("$code: {$error->getMessage()}");
        $isNone = $order['isNew'] && $error->getOutcome() === 'not_executed';
        $state = $isNone ? $order['ends']['cancelled'] : 'refunding';
    }
    settle($number, $order, ['state' => $state]);
    return load($number);
}
