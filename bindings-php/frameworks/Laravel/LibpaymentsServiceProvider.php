<?php

declare(strict_types=1);

namespace Libpayments\Laravel;

use Illuminate\Contracts\Container\Container;
use Illuminate\Support\ServiceProvider;
use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\ConfiguredClient;
use Libpayments\Journal;
use Libpayments\Signer;
use Libpayments\TokenStore;

/**
 * The service provider for Laravel: docs/frameworks/laravel.md.
 */
final class LibpaymentsServiceProvider extends ServiceProvider
{
    private const FILE = __DIR__ . '/libpayments.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::FILE, 'libpayments');
        $this->app->singleton(Client::class, static function (Container $app): Client {
            $settings = $app->make('config')->get('libpayments');
            $channel = $settings['log_channel'];
            return ConfiguredClient::make(
                $settings,
                (string) $app->make('config')->get('app.env'),
                ['local', 'testing'],
                $channel === false ? null : $app->make('log')->channel($channel),
                signer: self::ifBound($app, Signer::class),
                tokenStore: self::ifBound($app, TokenStore::class),
                journal: self::ifBound($app, Journal::class),
                observer: self::ifBound($app, 'libpayments.observer'),
            );
        });
        $this->app->alias(Client::class, ClientInterface::class);
    }

    /** Lets the application publish the configuration. */
    public function boot(): void
    {
        if ($this->app->runningInConsole()) {
            $this->publishes([self::FILE => $this->app->configPath('libpayments.php')], 'libpayments');
        }
    }

    private static function ifBound(Container $app, string $name): mixed
    {
        return $app->bound($name) ? $app->make($name) : null;
    }
}
