<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Internal\Loader;

/**
 * A payment by its own process, which has only a configuration.
 */
final class Payer
{
    private Php $process;

    /**
     * Starts it.
     *
     * @param string $config the path of a configuration
     * @param array<string, string> $environment
     */
    public function __construct(string $config, string $reference, array $environment = [])
    {
        $command = [PHP_BINARY, dirname(__DIR__) . '/fixtures/pay.php', $reference];
        $this->process = new Php($command, $environment + [
            Loader::VARIABLE => Repository::built('libpayments.so'),
            'TEST_CONFIG' => $config,
        ]);
    }

    /**
     * Its result: `pid`, and `status` or `error`.
     *
     * @return array<string, mixed>
     */
    public function end(): array
    {
        return json_decode($this->process->end(), true, 64, JSON_THROW_ON_ERROR);
    }
}
