<?php

/**
 * Makes the folders and the table that the skeleton of Laravel has from the beginning.
 */

declare(strict_types=1);

$folders = ['bootstrap/cache', 'database/migrations', 'storage/framework/cache', 'storage/framework/sessions',
    'storage/logs'];
foreach ($folders as $folder) {
    mkdir($folder, recursive: true);
}
(new PDO('sqlite:database/database.sqlite'))->exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, queue TEXT, '
    . 'payload TEXT, attempts INTEGER, reserved_at INTEGER, available_at INTEGER, created_at INTEGER)');
