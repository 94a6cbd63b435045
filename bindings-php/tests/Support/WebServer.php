<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * `php -S` with a front controller.
 */
final class WebServer
{
    /** @var resource */
    private $process;
    private string $address;

    /** @param array<string, string> $environment in addition to PATH */
    public function __construct(string $script, array $environment, private Folder $folder = new Folder())
    {
        $this->address = '127.0.0.1:' . Port::free();
        // The command line allows FFI by default, and this server does not.
        $command = ['timeout', '300', PHP_BINARY, '-d', 'ffi.enable=1', '-S', $this->address, $script];
        $output = ['file', $this->folder->file('server.log'), 'a'];
        $places = [['file', '/dev/null', 'r'], $output, $output];
        $environment['PATH'] = (string) getenv('PATH');
        $this->process = proc_open($command, $places, $pipes, null, $environment);
        for ($tries = 0; !$this->isUp(); $tries++) {
            if ($tries === 1500 || !proc_get_status($this->process)['running']) {
                throw new \RuntimeException("php -S did not start:\n" . $this->log());
            }
            usleep(20_000);
        }
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    public function url(): string
    {
        return "http://$this->address";
    }

    /** @return array<string, mixed> what a path returns, which is JSON */
    public function get(string $path): array
    {
        [$status, $body] = Http::send('GET', $this->url() . $path, ['Connection: close'], '');
        $json = json_decode($body, true);
        if ($status !== 200 || !is_array($json)) {
            throw new \RuntimeException("$path: $status $body\n" . $this->log());
        }
        return $json;
    }

    private function isUp(): bool
    {
        $connection = @stream_socket_client("tcp://$this->address");
        return $connection !== false && fclose($connection);
    }

    private function log(): string
    {
        return (string) @file_get_contents($this->folder->file('server.log'));
    }
}
