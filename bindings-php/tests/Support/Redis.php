<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A Redis server on loopback, with nothing in it.
 */
final class Redis
{
    public const PASSWORD = 'canary-redis-16180';

    /** @var resource */
    private $process;
    private int $port;
    private Folder $folder;

    public function __construct()
    {
        $this->port = Port::free();
        $this->folder = new Folder();
        $command = ['redis-server', '--bind', '127.0.0.1', '--port', (string) $this->port, '--save', '', '--dir',
            dirname($this->folder->file('x')), '--requirepass', self::PASSWORD];
        // It ends even if this process is killed.
        $output = ['file', $this->folder->file('output'), 'a'];
        $places = [['file', '/dev/null', 'r'], $output, $output];
        $this->process = proc_open(['timeout', '300', ...$command], $places, $pipes);
        for ($tries = 0; $this->ask('PING') !== 'PONG'; $tries++) {
            if ($tries > 500 || !proc_get_status($this->process)['running']) {
                throw new \RuntimeException('redis-server did not start; scripts/setup.sh test installs it: '
                    . file_get_contents($this->folder->file('output')));
            }
            usleep(20_000);
        }
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    /** For `token_store`. */
    public function url(): string
    {
        return 'redis://:' . self::PASSWORD . "@127.0.0.1:$this->port";
    }

    /** The output of redis-cli; empty without a server. */
    public function ask(string ...$command): string
    {
        $asking = ['redis-cli', '-h', '127.0.0.1', '-p', (string) $this->port, ...$command];
        try {
            return trim(Php::output($asking, ['REDISCLI_AUTH' => self::PASSWORD]));
        } catch (\RuntimeException) {
            return '';
        }
    }
}
