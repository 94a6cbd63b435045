<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\FollowUp;
use Psr\EventDispatcher\EventDispatcherInterface;
use Symfony\Component\Messenger\MessageBusInterface;
use Symfony\Component\Messenger\Stamp\DelayStamp;

/**
 * Asks once, and dispatches `PaymentEnded`, or the message again.
 *
 * @internal
 */
final class FollowPaymentHandler
{
    private const NOT_ROUTED = 'FollowPayment is handled where it is dispatched: in framework.messenger.routing, '
        . 'route it to a transport that can delay messages';

    private bool $isAsking = false;

    public function __construct(
        private ClientInterface $client,
        private MessageBusInterface $bus,
        private EventDispatcherInterface $events,
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
            [$reference, $since] = [$message->reference, $message->since];
            $next = FollowUp::ask($this->client, $reference, $since, $this->giveUpAfter, $message->progress);
            if (is_array($next)) {
                $again = new FollowPayment($reference, $since, $next);
                $this->bus->dispatch($again, [new DelayStamp($next['delay_ms'])]);
            } else {
                $this->events->dispatch($next);
            }
        } finally {
            $this->isAsking = false;
        }
    }
}
