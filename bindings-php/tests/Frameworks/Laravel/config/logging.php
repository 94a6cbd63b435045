<?php

/**
 * Two channels, so that a test sees which one is used.
 */

declare(strict_types=1);

return [
    'default' => 'shop',
    'channels' => [
        'shop' => ['driver' => 'single', 'path' => getenv('SHOP_FOLDER') . '/log', 'level' => 'debug'],
        'payments' => ['driver' => 'single', 'path' => getenv('SHOP_FOLDER') . '/payments.log', 'level' => 'debug'],
    ],
];
