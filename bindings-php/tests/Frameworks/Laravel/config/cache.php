<?php

/**
 * A cache in files.
 */

declare(strict_types=1);

return [
    'default' => 'file',
    'stores' => ['file' => ['driver' => 'file', 'path' => getenv('SHOP_FOLDER') . '/cache']],
];
