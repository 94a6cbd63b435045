<?php

/**
 * The PHP process that pays with a journal in a database; src/bytes/mod.rs has the protocol.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\PdoJournal;

require dirname(__DIR__, 3) . '/bindings-php/autoload.php';

$configuration = json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR);
$clientAt = static function (int $port, int $timeout, bool $lasts = false) use ($configuration): Client {
    $dsn = "pgsql:host=127.0.0.1;port=$port;dbname=postgres;user=payments";
    $journal = new PdoJournal(static fn (): PDO => new PDO($dsn, options: [PDO::ATTR_PERSISTENT => $lasts]));
    return new Client(['timeout_ms' => $timeout] + $configuration, journal: $journal);
};
$direct = $clientAt((int) fgets(STDIN), 60_000, true);
while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $client = isset($asked['port']) ? $clientAt($asked['port'], $asked['timeout_ms']) : $direct;
    try {
        $client->call('create_payment', $asked['request']);
        $answer = ['outcome' => 'success', 'kind' => null];
    } catch (PaymentsException $error) {
        $answer = ['outcome' => $error->getOutcome(), 'kind' => $error->getKind()];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}
