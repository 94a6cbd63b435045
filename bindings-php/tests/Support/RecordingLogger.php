<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Psr\Log\AbstractLogger;

/**
 * A logger of PSR-3 that keeps its records, or throws.
 */
final class RecordingLogger extends AbstractLogger
{
    /** @var list<array{string, string, array<string, mixed>}> level, message and context */
    public array $records = [];

    public function __construct(private ?\Throwable $thrown = null)
    {
    }

    /**
     * @param mixed $level
     * @param string|\Stringable $message
     * @param array<string, mixed> $context
     */
    public function log($level, $message, array $context = []): void
    {
        $this->records[] = [$level, (string) $message, $context];
        if ($this->thrown !== null) {
            throw $this->thrown;
        }
    }
}
