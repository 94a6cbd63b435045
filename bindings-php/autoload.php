<?php

/**
 * Loads the classes of this package without Composer.
 */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $prefix = 'Libpayments\\';
    if (!str_starts_with($class, $prefix)) {
        return;
    }
    foreach (['src', 'frameworks'] as $folder) {
        $file = __DIR__ . "/$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
            return;
        }
    }
});

require_once __DIR__ . '/src/functions.php';
