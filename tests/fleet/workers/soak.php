<?php

/**
 * The PHP process of the soak test; src/soak/mod.rs describes the protocol.
 * Here, `cancel_ms` sets the deadline of a call.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;

require dirname(__DIR__, 3) . '/bindings-php/autoload.php';

/** @param array<string, mixed> $call */
function perform(Client $client, array $call): string
{
    try {
        $client->call($call['operation'], $call['request'], $call['cancel_ms']);
    } catch (PaymentsException $error) {
        return $error->getOutcome();
    }
    return 'success';
}

$client = new Client(json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR));
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    if ($line === "collect\n") {
        gc_collect_cycles();
        echo "collected\n";
        continue;
    }
    if ($line === "recover\n") {
        try {
            $client->journal()->recover();
        } catch (PaymentsException $error) {
            // Another process may be recovering it.
            if ($error->getErrorCode() !== 'already_running') {
                throw $error;
            }
        }
        echo "recovered\n";
        continue;
    }
    $call = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $response = ['id' => $call['id'], 'report' => perform($client, $call)];
    echo json_encode($response, JSON_THROW_ON_ERROR), "\n";
}
