<?php

/**
 * SQLite.
 */

declare(strict_types=1);

return [
    'default' => 'sqlite',
    'migrations' => 'migrations',
    'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => database_path('database.sqlite')]],
];
