<?php

/**
 * SQLite, in the folder of the shop.
 */

declare(strict_types=1);

return [
    'default' => 'sqlite',
    'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => getenv('SHOP_FOLDER') . '/queue.db']],
];
