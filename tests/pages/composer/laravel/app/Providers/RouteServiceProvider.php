<?php

namespace App\Providers;

use Illuminate\Foundation\Support\Providers\RouteServiceProvider as ServiceProvider;

/** Reads routes/web.php. */
class RouteServiceProvider extends ServiceProvider
{
    /** Defines the routes. */
    public function map(): void
    {
        require base_path('routes/web.php');
    }
}
