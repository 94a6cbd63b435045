<?php

declare(strict_types=1);

namespace Libpayments\Internal\Events;

use Libpayments\Internal\Json;
use Libpayments\Internal\Secret;
use Libpayments\OpenTelemetry;
use Psr\Log\LoggerInterface;

/**
 * The receivers of a client's events: its logger, then its observer. An
 * exception of one changes nothing, and the other still receives the event.
 *
 * @internal
 */
final class Observers
{
    use Secret;

    /** @param non-empty-array<string, callable(array<string, mixed>): mixed> $observers by name */
    private function __construct(private array $observers)
    {
    }

    /**
     * @param (callable(array<string, mixed>): mixed)|null $observer
     */
    public static function of(?LoggerInterface $logger, ?callable $observer): ?self
    {
        if ($logger === null && $observer === null) {
            return null;
        }
        $log = $logger === null ? self::logFailures(...) : new EventLog($logger);
        return new self(array_filter(['logger' => $log, 'observer' => $observer]));
    }

    /** Passes on an event, which is JSON. Returns the `traceparent` of the request that begins, if there is one. */
    public function notify(string $event): ?string
    {
        $event = Json::decode($event);
        $traceparent = null;
        foreach ($this->observers as $name => $observer) {
            try {
                $observer($event);
                if ($event['event'] === 'request_started' && $observer instanceof OpenTelemetry) {
                    $traceparent = $observer->traceparent();
                }
            } catch (\Throwable $error) {
                self::report($name, $error);
            }
        }
        return $traceparent;
    }

    /** @param array<string, mixed> $event */
    private static function logFailures(array $event): void
    {
        if ($event['event'] === 'journal_failed') {
            self::log(EventLog::text($event));
        }
    }

    /** Without the message, which may contain anything. */
    private static function report(string $name, \Throwable $error): void
    {
        self::log("the $name threw " . get_debug_type($error)
            . " at {$error->getFile()}:{$error->getLine()}; the call is not affected");
    }

    public static function log(string $line): void
    {
        // A host may have disabled the function.
        if (function_exists('error_log')) {
            error_log("libpayments: $line");
        }
    }
}
