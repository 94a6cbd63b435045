<?php

/**
 * Creates a client and a payment, and prints how many nanoseconds it took to load
 * the library, and to create the client. The argument is the configuration file.
 */

declare(strict_types=1);

use Libpayments\Client;
use Libpayments\Library;

require dirname(__DIR__) . '/autoload.php';

$config = (string) file_get_contents($argv[1]);
$started = hrtime(true);
Library::version();
$loaded = hrtime(true);
$client = new Client($config);
$made = hrtime(true);
$client->createPayment(require __DIR__ . '/payment.php');
echo $loaded - $started, ' ', $made - $loaded, "\n";
