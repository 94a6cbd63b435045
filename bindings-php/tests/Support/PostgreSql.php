<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A PostgreSQL server on loopback, with an empty database, and a pooler in front
 * of it. It ends with this object, or with this process.
 */
final class PostgreSql
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private int $port;
    private int $poolerPort;

    public function __construct(string ...$settings)
    {
        $command = [Repository::root() . '/tests/postgresql/serve.sh', '--pooler', ...$settings];
        $places = [['pipe', 'r'], ['pipe', 'w']];
        $this->process = proc_open($command, $places, $this->pipes);
        $this->port = $this->nextPort();
        $this->poolerPort = $this->nextPort();
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

    public function poolerDsn(): string
    {
        return "pgsql:host=127.0.0.1;port=$this->poolerPort;dbname=postgres;user=payments";
    }

    private function nextPort(): int
    {
        $url = parse_url(trim((string) fgets($this->pipes[1])));
        return $url['port']
            ?? throw new \RuntimeException('PostgreSQL did not start; scripts/setup.sh test installs it');
    }
}
