<?php

/**
 * The PHP worker; src/crew.rs describes the protocol. PHP has no threads, so
 * its sixteen calls run one after the other.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\TokenException;
use Libpayments\Exception\UnauthorizedException;

require dirname(__DIR__, 3) . '/bindings-php/autoload.php';

const IN_A_ROW = 16;
const PAUSE_US = 200_000;

/** Reads a line; fails at the end of the input. */
function line(): string
{
    $line = fgets(STDIN);
    if ($line === false) {
        throw new RuntimeException('the input ended before anything began');
    }
    return rtrim($line, "\n");
}

$client = new Client(json_decode(line(), true, flags: JSON_THROW_ON_ERROR));
$payment = line();
echo "ready\n";
line();

$nothing = ['responded' => 0, 'lacked' => 0, 'refused' => 0, 'other' => null];
$counts = $nothing;
while (true) {
    for ($call = 0; $call < IN_A_ROW; $call++) {
        try {
            $client->queryPayment(['hash' => $payment]);
            $counts['responded']++;
        } catch (UnauthorizedException) {
            $counts['refused']++;
        } catch (PaymentsException $error) {
            if ($error instanceof TokenException && $error->getRetryAfter() !== null) {
                $counts['lacked']++;
            } else {
                $counts['other'] = $error->getMessage();
            }
        }
    }
    $readable = [STDIN];
    $none = null;
    if (stream_select($readable, $none, $none, 0, PAUSE_US) === 0) {
        continue;
    }
    if (fgets(STDIN) === false) {
        break;
    }
    echo json_encode($counts, JSON_THROW_ON_ERROR), "\n";
    $counts = $nothing;
}
