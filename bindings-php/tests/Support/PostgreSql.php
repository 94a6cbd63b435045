<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A PostgreSQL server on loopback, with an empty database. It ends with this
 * object, or with this process.
 */
final class PostgreSql
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private int $port;

    public function __construct(string ...$settings)
    {
        $command = [Repository::root() . '/tests/postgresql/serve.sh', ...$settings];
        $places = [['pipe', 'r'], ['pipe', 'w']];
        $this->process = proc_open($command, $places, $this->pipes);
        $url = parse_url(trim((string) fgets($this->pipes[1])));
        if (!isset($url['port'])) {
            throw new \RuntimeException('PostgreSQL did not start; scripts/setup.sh test installs it');
        }
        $this->port = $url['port'];
    }

    public function __destruct()
    {
        fclose($this->pipes[0]);
        proc_close($this->process);
    }

    public function dsn(): string
    {
        return "pgsql:host=127.0.0.1;port=$this->port;dbname=postgres;user=payments";
    }
}
