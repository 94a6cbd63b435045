<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks;

/**
 * An observer that keeps the names of events.
 */
final class EventNames
{
    /** @var list<string> */
    public array $events = [];

    /** @param array<string, mixed> $event */
    public function __invoke(array $event): void
    {
        $this->events[] = $event['event'];
    }
}
