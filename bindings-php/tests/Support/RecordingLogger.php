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

    /** @return list<array{string, string}> levels and events, without those of `debug` */
    public function notable(): array
    {
        $all = array_map(static fn (array $record): array => [$record[0], $record[2]['event']], $this->records);
        return array_values(array_filter($all, static fn (array $record): bool => $record[0] !== 'debug'));
    }
}
