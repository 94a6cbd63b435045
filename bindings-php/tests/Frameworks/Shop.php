<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\Testing\Sandbox;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Fpm;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\WebServer;

/**
 * An application of a framework in its own folder, with a sandbox.
 */
final class Shop
{
    public readonly Folder $folder;

    /** @var array<string, string> */
    private array $environment;

    /** @param array<string, string> $environment in addition to libpayments' own */
    public function __construct(private string $app, Sandbox $sandbox, array $environment = [])
    {
        $this->folder = new Folder();
        $file = $this->folder->file('payments.json', (string) json_encode($sandbox->configuration()));
        $this->environment = $environment + [
            Loader::VARIABLE => (string) realpath(Repository::built('libpayments.so')),
            'PAYMENTS_CONFIG_FILE' => $file,
            'SHOP_FOLDER' => dirname($this->folder->file('x')),
        ];
    }

    /** Lets the application keep a journal, and returns a connection to it. */
    public function keepJournal(): \PDO
    {
        $config = json_decode($this->written('payments.json'), true, 64, JSON_THROW_ON_ERROR);
        Client::createJournal($path = $this->folder->file('journal/payments.db'));
        $config['journal'] = "file:$path";
        $this->folder->file('payments.json', json_encode($config, JSON_THROW_ON_ERROR));
        return new \PDO("sqlite:$path");
    }

    public function server(): WebServer
    {
        return new WebServer($this->script('index.php'), $this->environment);
    }

    public function fpm(): Fpm
    {
        return new Fpm($this->script('index.php'), ['ffi.enable' => '1'], $this->environment);
    }

    /** With the declarations preloaded, as docs/frameworks say. */
    public function preloadingFpm(): Fpm
    {
        $package = dirname(__DIR__, 2);
        $library = $this->environment[Loader::VARIABLE];
        $declarations = Php::output([PHP_BINARY, "$package/bin/libpayments-preload", $library]);
        $user = posix_geteuid() === 0 ? ['opcache.preload_user' => 'root'] : [];
        return new Fpm($this->script('index.php'), $user + [
            'ffi.enable' => 'preload',
            'ffi.preload' => $this->folder->file('libpayments_preload.h', $declarations),
            'opcache.preload' => "$package/preload.php",
        ], $this->environment);
    }

    /** @return array<string, mixed> what a page returns under FPM */
    public function page(Fpm $fpm, string $path): array
    {
        return $fpm->get('', ['REQUEST_URI' => $path, 'SCRIPT_NAME' => '/index.php', 'QUERY_STRING' => '',
            'SERVER_NAME' => 'shop', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => 'HTTP/1.1']);
    }

    /** Runs a command of the framework. */
    public function console(string ...$arguments): string
    {
        return Php::output([PHP_BINARY, $this->script('console.php'), ...$arguments], $this->environment);
    }

    /** The text that the application wrote to a file. */
    public function written(string $file): string
    {
        return (string) @file_get_contents($this->folder->file($file));
    }

    private function script(string $name): string
    {
        return __DIR__ . "/$this->app/$name";
    }
}
