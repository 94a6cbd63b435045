<?php

declare(strict_types=1);

namespace Libpayments\Internal\Events;

use Libpayments\Internal\Json;
use Psr\Log\LoggerInterface;

/**
 * Writes events to a logger of PSR-3, at the levels of every language. The
 * message is the line of `PAYMENTS_LOG=debug`, and the context has the members.
 *
 * @internal
 */
final class EventLog
{
    /** From this on, a duration is shown in seconds. */
    private const LONG_US = 10_000_000;

    private const WARNINGS = ['retry' => true, 'token_failed' => true, 'token_kept' => true,
        'store_bypassed' => true, 'journal_failed' => true];

    public function __construct(private LoggerInterface $logger)
    {
    }

    /** @param array<string, mixed> $event */
    public function __invoke(array $event): void
    {
        $this->logger->log(self::level($event), self::text($event), $event);
    }

    /** @param array<string, mixed> $event */
    private static function level(array $event): string
    {
        return match (true) {
            isset(self::WARNINGS[$event['event']]) => 'warning',
            $event['event'] !== 'request_ended' || $event['outcome'] === null => 'debug',
            $event['outcome'] === 'unknown' => 'warning',
            default => 'info',
        };
    }

    /**
     * The event's name, and its members as `name=value`, without those that are null.
     *
     * @param array<string, mixed> $event
     */
    public static function text(array $event): string
    {
        $text = $event['event'];
        unset($event['event']);
        foreach ($event as $name => $value) {
            if (is_int($value) && str_ends_with($name, '_us')) {
                $text .= ' ' . substr($name, 0, -3) . '=' . self::duration($value);
            } elseif ($value !== null) {
                $isWord = is_string($value) && preg_match('/^[!#-~]+$/D', $value) === 1;
                $text .= " $name=" . ($isWord ? $value : json_encode($value, Json::FLAGS));
            }
        }
        return $text;
    }

    private static function duration(int $us): string
    {
        return $us >= self::LONG_US
            ? intdiv($us, 1_000_000) . 's'
            : sprintf('%d.%03dms', intdiv($us, 1000), $us % 1000);
    }
}
