<?php

/**
 * bootstrap/app.php: a shop with one page, /pay/ORDER. `SHOP_FOLDER` has its queue, cache and logs.
 */

declare(strict_types=1);

use Illuminate\Contracts\Console\Kernel as ConsoleKernelContract;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernelContract;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Console\Kernel as ConsoleKernel;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel as HttpKernel;

require_once __DIR__ . '/autoload.php';

$folder = (string) getenv('SHOP_FOLDER');
foreach (['SERVICES', 'PACKAGES'] as $cache) {
    $_ENV["APP_{$cache}_CACHE"] = "$folder/" . strtolower($cache) . '.php';
}
$app = new Application(__DIR__);
$app->useStoragePath($folder);
$app->singleton(HttpKernelContract::class, HttpKernel::class);
$app->singleton(ConsoleKernelContract::class, ConsoleKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
return $app;
