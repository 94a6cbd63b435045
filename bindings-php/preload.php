<?php

/**
 * Loads every class of this package once, when PHP starts, for servers with
 * ffi.enable=preload. See README.md, "PHP-FPM".
 *
 *     opcache.preload = /path/to/vendor/libpayments/libpayments/preload.php
 *     opcache.preload_user = www-data
 *     ffi.preload = /path/to/what/libpayments-preload/wrote.h
 */

declare(strict_types=1);

(static function (): void {
    require_once __DIR__ . '/autoload.php';
    $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(__DIR__ . '/src'));
    foreach ($files as $file) {
        if ($file->getExtension() === 'php') {
            require_once $file->getPathname();
        }
    }
})();
