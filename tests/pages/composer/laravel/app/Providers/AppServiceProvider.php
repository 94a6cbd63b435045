<?php

namespace App\Providers;

use Illuminate\Support\ServiceProvider;

/** The application's own, which a page replaces. */
class AppServiceProvider extends ServiceProvider
{
}
