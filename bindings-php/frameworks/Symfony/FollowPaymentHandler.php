<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\FollowUp;
use Libpayments\PaymentEnded;
use Psr\Cache\CacheItemPoolInterface;
use Psr\EventDispatcher\EventDispatcherInterface;
use Psr\Log\LoggerInterface;
use Symfony\Component\Messenger\Exception\RecoverableMessageHandlingException;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\MessageBusInterface;
use Symfony\Component\Messenger\Stamp\DelayStamp;

/**
 * Asks once, dispatches `PaymentEnded` at the end, and otherwise the message again,
 * also after exceptions.
 *
 * @internal
 */
final class FollowPaymentHandler
{
    private const NOT_ROUTED = 'FollowPayment is handled where it is dispatched: in framework.messenger.routing, '
        . 'route it to a transport that can delay messages';

    private bool $isAsking = false;

    /** @param \Closure(): ClientInterface $client */
    public function __construct(
        private \Closure $client,
        private MessageBusInterface $bus,
        private EventDispatcherInterface $events,
        private CacheItemPoolInterface $cache,
        private ?LoggerInterface $logger,
        private int $giveUpAfter,
    ) {
    }

    public function __invoke(FollowPayment $message): void
    {
        if ($this->isAsking) {
            // It would ask without a pause, and forever.
            throw new \LogicException(self::NOT_ROUTED);
        }
        $this->isAsking = true;
        try {
            $next = (new FollowUp(
                client: $this->client,
                fire: fn (PaymentEnded $ended) => $this->events->dispatch($ended),
                report: fn (\Throwable $error) => $this->logger?->error(
                    "following the payment $message->reference failed, and continues: " . $error->getMessage(),
                    ['exception' => $error],
                ),
                read: fn (string $key) => $this->cache->getItem($key)->get(),
                write: fn (string $key, array $value, int $seconds) => $this->cache->save(
                    $this->cache->getItem($key)->set($value)->expiresAfter($seconds),
                ),
                giveUpAfter: $this->giveUpAfter,
            ))->next($message);
            if ($next !== null) {
                $again = new FollowPayment($message->reference, $message->amount, $message->currency, $next);
                $this->bus->dispatch($again, [new DelayStamp($next['delay_ms'])]);
            }
        } catch (TransportException $error) {
            // Messenger repeats others three times only.
            throw new RecoverableMessageHandlingException($error->getMessage(), 0, $error);
        } finally {
            $this->isAsking = false;
        }
    }
}
