<?php

/**
 * Loads libpayments and the shop. With Composer, vendor/autoload.php does both.
 */

declare(strict_types=1);

require dirname(__DIR__, 3) . '/bindings-php/autoload.php';
require __DIR__ . '/Order.php';
require __DIR__ . '/Shop.php';
