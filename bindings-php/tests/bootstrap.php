<?php

/**
 * Loads the package, the classes of its tests, and a stand-in for OpenTelemetry.
 */

declare(strict_types=1);

require dirname(__DIR__) . '/autoload.php';

spl_autoload_register(static function (string $class): void {
    $places = ['Libpayments\\Tests\\' => '', 'OpenTelemetry\\' => 'stand-ins/OpenTelemetry/'];
    foreach ($places as $prefix => $folder) {
        $file = __DIR__ . "/$folder" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
        }
    }
});
