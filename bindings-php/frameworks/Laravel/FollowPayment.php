<?php

declare(strict_types=1);

namespace Libpayments\Laravel;

use Illuminate\Bus\Queueable;
use Illuminate\Container\Container as CurrentContainer;
use Illuminate\Contracts\Bus\Dispatcher as Bus;
use Illuminate\Contracts\Cache\Repository as Cache;
use Illuminate\Contracts\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Events\Dispatcher as Events;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\Jobs\SyncJob;
use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\FollowedPayment;
use Libpayments\Internal\Frameworks\FollowUp;
use Libpayments\PaymentEnded;
use Psr\Log\LoggerInterface;

/**
 * A queued job: follows the payment of an order until it ends. It asks once, fires
 * `PaymentEnded` at the end, and otherwise queues itself again with a delay, also
 * after exceptions. Dispatch it before the call, for each click: the newest one asks.
 *
 * Within a transaction, it is queued after the commit.
 */
final class FollowPayment implements ShouldQueue
{
    use Dispatchable;
    use InteractsWithQueue;
    use Queueable;
    use FollowedPayment {
        FollowedPayment::__construct as private follow;
    }

    private const NOT_QUEUED = 'the queue connection "sync" cannot delay a job: FollowPayment needs one that can, '
        . 'such as "database" or "redis"';

    /** A job whose worker is killed runs again, however often. */
    public int $tries = 0;

    /**
     * @param string $reference the payment's `merchant_payment_code`
     * @param string $amount the total of the order, such as `10.50`: only a payment of it counts as paid
     * @param string $currency such as `BRL`
     * @param array<string, mixed> $progress for the package itself: the result of the previous job
     */
    public function __construct(string $reference, string $amount, string $currency, array $progress = [])
    {
        $this->follow($reference, $amount, $currency, $progress);
        $this->afterCommit = true;
    }

    /** Runs in a queue worker. */
    public function handle(Container $container): void
    {
        if ($this->job instanceof SyncJob) {
            // It would ask without a pause, and forever.
            throw new \LogicException(self::NOT_QUEUED);
        }
        $get = $container->make(...);
        $next = (new FollowUp(
            client: static fn () => $get(ClientInterface::class),
            fire: static fn (PaymentEnded $ended) => $get(Events::class)->dispatch($ended),
            report: static fn (\Throwable $error) => $get(ExceptionHandler::class)->report($error),
            read: static fn (string $key) => $get(Cache::class)->get($key),
            write: static fn (string $key, array $value, int $seconds) => $get(Cache::class)
                ->put($key, $value, $seconds),
            giveUpAfter: $get('config')->get('libpayments.give_up_after'),
        ))->next($this);
        if ($next !== null) {
            $again = new self($this->reference, $this->amount, $this->currency, $next);
            $again->onConnection($this->connection)->onQueue($this->queue);
            $get(Bus::class)->dispatch($again->delay((int) ceil($next['delay_ms'] / 1000)));
        }
    }

    /** Says in the log that the payment is no longer followed: the queue itself gave the job up. */
    public function failed(?\Throwable $error): void
    {
        CurrentContainer::getInstance()->make(LoggerInterface::class)->critical(
            "the payment $this->reference is no longer followed: dispatch FollowPayment again",
            ['exception' => $error],
        );
    }
}
