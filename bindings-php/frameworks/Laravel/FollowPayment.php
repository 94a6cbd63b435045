<?php

declare(strict_types=1);

namespace Libpayments\Laravel;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Bus\Dispatcher as Bus;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Events\Dispatcher as Events;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\Jobs\SyncJob;
use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\FollowUp;

/**
 * A queued job: follows a payment until it ends. It asks once, and fires
 * `PaymentEnded` or queues itself again with a delay.
 */
final class FollowPayment implements ShouldQueue
{
    use Dispatchable;
    use InteractsWithQueue;
    use Queueable;

    private const NOT_QUEUED = 'the queue connection "sync" cannot delay a job: FollowPayment needs one that can, '
        . 'such as "database" or "redis"';

    /** Unix time in seconds from which the payment is followed. */
    public readonly int $since;

    /**
     * @internal `$progress` is the result of the previous job
     * @param array<string, mixed> $progress
     */
    public function __construct(
        public readonly string $reference,
        ?int $since = null,
        public readonly array $progress = [],
    ) {
        $this->since = $since ?? time();
    }

    /** Runs in a queue worker. */
    public function handle(ClientInterface $client, Bus $bus, Events $events, Repository $config): void
    {
        if ($this->job instanceof SyncJob) {
            // It would ask without a pause, and forever.
            throw new \LogicException(self::NOT_QUEUED);
        }
        $giveUpAfter = $config->get('libpayments.give_up_after');
        $next = FollowUp::ask($client, $this->reference, $this->since, $giveUpAfter, $this->progress);
        if (is_array($next)) {
            $again = new self($this->reference, $this->since, $next);
            $again->onConnection($this->connection)->onQueue($this->queue);
            $bus->dispatch($again->delay((int) ceil($next['delay_ms'] / 1000)));
        } else {
            $events->dispatch($next);
        }
    }
}
