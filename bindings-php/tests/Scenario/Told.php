<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

/**
 * An observer that keeps its events, to compare them with a scenario.
 */
final class Told
{
    /** @var list<array<string, mixed>> */
    private array $events = [];

    /** @param array<string, mixed> $event */
    public function __invoke(array $event): void
    {
        $this->events[] = $event;
    }

    /**
     * @param list<\stdClass> $expected
     * @return list<string>
     */
    public function differences(array $expected, Placeholders $known): array
    {
        // The first call is 1, the second 2, and so on.
        $calls = array_values(array_unique(array_column($this->events, 'call')));
        $events = array_map(
            static fn (array $event): array => ['call' => array_search($event['call'], $calls, true) + 1] + $event,
            $this->events,
        );
        return Compare::exactDifferences('events', $known->fill($expected), $events);
    }
}
