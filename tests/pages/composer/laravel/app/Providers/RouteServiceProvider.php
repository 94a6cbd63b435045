<?php

namespace App\Providers;

use Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse;
use Illuminate\Cookie\Middleware\EncryptCookies;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Foundation\Support\Providers\RouteServiceProvider as ServiceProvider;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Facades\Route;

/** Reads routes/web.php, with the middleware of the group `web`. */
class RouteServiceProvider extends ServiceProvider
{
    /** Defines the routes. */
    public function map(): void
    {
        $web = [EncryptCookies::class, AddQueuedCookiesToResponse::class, StartSession::class, VerifyCsrfToken::class];
        Route::middleware($web)->group(base_path('routes/web.php'));
    }
}
