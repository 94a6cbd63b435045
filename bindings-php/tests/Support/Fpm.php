<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * php-fpm on a socket in its own folder, called by FastCGI.
 */
final class Fpm
{
    /**
     * How cgi-fcgi ends when php-fpm has closed the connection unread, as it
     * does when nothing arrives on it for 5 s: on a busy machine, that happens
     * between the connecting and the writing of cgi-fcgi. EPIPE, and by TCP
     * FCGX_PROTOCOL_ERROR, which is -3.
     */
    private const NOT_READ = [32, 253];

    private Folder $folder;
    /** @var resource */
    private $process;
    private string $socket;
    private string $script;

    /**
     * @param array<string, string> $ini settings of PHP
     * @param array<string, string> $environment of the workers
     * @param array<string, string> $masters the environment of the master, which its workers do not get
     * @param ?int $user the user to run it, if this user is root and FPM must not be
     */
    public function __construct(
        string $script,
        array $ini,
        array $environment,
        int $workers = 1,
        array $masters = [],
        ?int $user = null,
    ) {
        $isRoot = posix_geteuid() === 0 && $user === null;
        $this->folder = new Folder();
        $this->socket = $this->folder->file('socket');
        $this->script = $script;
        $settings = ['extension=ffi', 'zend_extension=opcache', 'opcache.enable=1', 'display_errors=1'];
        foreach ($ini as $name => $value) {
            $settings[] = "$name=\"$value\"";
        }
        $this->folder->file('php.ini', implode("\n", $settings) . "\n");
        $pool = "[global]\nerror_log = {$this->folder->file('log')}\n[www]\nlisten = $this->socket\n"
            . "pm = static\npm.max_children = $workers\ncatch_workers_output = yes\n";
        if ($isRoot) {
            $pool .= "user = root\ngroup = root\n";
        }
        foreach ($environment as $name => $value) {
            $pool .= "env[$name] = \"$value\"\n";
        }
        $this->folder->file('pool.conf', $pool);
        // It stops even if this process is killed. The limit is far
        // away, so that it ends no worker in the midst of a request.
        $command = ['timeout', '900'];
        if ($user !== null) {
            $this->folder->giveTo($user);
            $command = [...$command, 'setpriv', "--reuid=$user", "--regid=$user", '--clear-groups'];
        }
        $command = [...$command, self::binary(), '--nodaemonize', '-c', $this->folder->file('php.ini'), '-y',
            $this->folder->file('pool.conf')];
        if ($isRoot) {
            $command[] = '--allow-to-run-as-root';
        }
        $output = ['file', $this->folder->file('output'), 'a'];
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], $output, $output], $pipes, null, $masters + [
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
     * The output of the script, which is JSON.
     *
     * @param array<string, string> $parameters of FastCGI
     * @return array<string, mixed>
     */
    public function get(string $action, array $parameters = []): array
    {
        return $this->read($action, $this->text($action, $parameters));
    }

    /**
     * The outputs of the script for that many requests at once.
     *
     * @return list<array<string, mixed>>
     */
    public function getAtOnce(string $action, int $requests): array
    {
        $started = [];
        for ($request = 0; $request < $requests; $request++) {
            $started[] = $this->request($action);
        }
        $again = fn (): Php => $this->request($action);
        return array_map(fn (Php $request): array => $this->read($action, $this->response($request, $again)), $started);
    }

    /** @param array<string, string> $parameters of FastCGI */
    public function text(string $action, array $parameters = []): string
    {
        $request = fn (): Php => $this->request($action, $parameters);
        return $this->response($request(), $request);
    }

    /** @param array<string, string> $parameters of FastCGI */
    private function request(string $action, array $parameters = []): Php
    {
        return new Php(['cgi-fcgi', '-bind', '-connect', $this->socket], $parameters + [
            'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => $this->script,
            'QUERY_STRING' => "do=$action",
        ]);
    }

    /**
     * The body that cgi-fcgi printed; when it failed, php-fpm's log says why.
     *
     * @param \Closure(): Php $again
     */
    private function response(Php $process, \Closure $again): string
    {
        try {
            $response = $process->end();
        } catch (\RuntimeException $error) {
            if (in_array($error->getCode(), self::NOT_READ, true)) {
                return $this->response($again(), $again);
            }
            throw new \RuntimeException($error->getMessage() . "\n" . $this->log(), 0, $error);
        }
        return explode("\r\n\r\n", $response, 2)[1] ?? $response;
    }

    /** @return array<string, mixed> */
    private function read(string $action, string $response): array
    {
        $json = json_decode($response, true);
        if (!is_array($json)) {
            throw new \RuntimeException("$action: $response\n" . $this->log());
        }
        return $json;
    }

    /** The output of php-fpm. */
    public function log(): string
    {
        return (string) @file_get_contents($this->folder->file('log'))
            . (string) @file_get_contents($this->folder->file('output'));
    }

    private function waitUntilUp(): void
    {
        for ($tries = 0; $tries < 3000; $tries++) {
            $connection = @stream_socket_client("unix://$this->socket");
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
}
