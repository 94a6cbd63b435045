<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * php-fpm with one worker on loopback, asked by FastCGI.
 */
final class Fpm
{
    private Folder $folder;
    /** @var resource */
    private $process;
    private int $port;
    private string $script;

    /**
     * @param array<string, string> $ini settings of PHP
     * @param array<string, string> $environment of the worker
     */
    public function __construct(string $script, array $ini, array $environment)
    {
        $this->folder = new Folder();
        $this->port = self::freePort();
        $this->script = $script;
        $settings = ['extension=ffi', 'zend_extension=opcache', 'opcache.enable=1', 'display_errors=1'];
        foreach ($ini as $name => $value) {
            $settings[] = "$name=\"$value\"";
        }
        $this->folder->file('php.ini', implode("\n", $settings) . "\n");
        $pool = "[global]\nerror_log = {$this->folder->file('log')}\n[www]\nlisten = 127.0.0.1:$this->port\n"
            . "pm = static\npm.max_children = 1\ncatch_workers_output = yes\n";
        if (posix_geteuid() === 0) {
            $pool .= "user = root\ngroup = root\n";
        }
        foreach ($environment as $name => $value) {
            $pool .= "env[$name] = \"$value\"\n";
        }
        $this->folder->file('pool.conf', $pool);
        // It stops by itself, whatever becomes of this process.
        $command = ['timeout', '120', self::binary(), '--nodaemonize', '-c', $this->folder->file('php.ini'), '-y',
            $this->folder->file('pool.conf')];
        if (posix_geteuid() === 0) {
            $command[] = '--allow-to-run-as-root';
        }
        $output = ['file', $this->folder->file('output'), 'a'];
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], $output, $output], $pipes, null, [
            'PATH' => (string) getenv('PATH'),
            'PHP_INI_SCAN_DIR' => '',
        ]);
        $this->waitUntilUp();
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    /**
     * What the script answers, which is JSON.
     *
     * @param array<string, string> $parameters of FastCGI
     * @return array<string, mixed>
     */
    public function get(string $action, array $parameters = []): array
    {
        $answer = $this->text($action, $parameters);
        $json = json_decode($answer, true);
        if (!is_array($json)) {
            throw new \RuntimeException("$action: $answer\n" . $this->log());
        }
        return $json;
    }

    /** @param array<string, string> $parameters of FastCGI */
    public function text(string $action, array $parameters = []): string
    {
        $answer = Php::output(['cgi-fcgi', '-bind', '-connect', "127.0.0.1:$this->port"], $parameters + [
            'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => $this->script,
            'QUERY_STRING' => "do=$action",
        ]);
        return explode("\r\n\r\n", $answer, 2)[1] ?? $answer;
    }

    /** What php-fpm wrote. */
    public function log(): string
    {
        return (string) @file_get_contents($this->folder->file('log'))
            . (string) @file_get_contents($this->folder->file('output'));
    }

    private function waitUntilUp(): void
    {
        for ($tries = 0; $tries < 250; $tries++) {
            $connection = @fsockopen('127.0.0.1', $this->port);
            if ($connection !== false) {
                fclose($connection);
                return;
            }
            if (!proc_get_status($this->process)['running']) {
                break;
            }
            usleep(20_000);
        }
        throw new \RuntimeException("php-fpm did not start:\n" . $this->log());
    }

    private static function binary(): string
    {
        $names = ['php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm'];
        foreach (explode(':', getenv('PATH') . ':/usr/sbin:/usr/local/sbin') as $folder) {
            foreach ($names as $name) {
                if (is_executable("$folder/$name")) {
                    return "$folder/$name";
                }
            }
        }
        throw new \RuntimeException('php-fpm is missing: scripts/setup.sh test installs it');
    }

    private static function freePort(): int
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        fclose($server);
        return $port;
    }
}
