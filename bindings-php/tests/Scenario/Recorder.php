<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\OpenTelemetry;
use Libpayments\Tests\Support\RecordingLogger;
use Libpayments\Tests\Support\Telemetry\Exporter;
use Libpayments\Tests\Support\Telemetry\Span;
use OpenTelemetry\API\Trace\SpanKind;

require_once 'Psr/Log/autoload.php';

/**
 * Records the events of a client, their spans and log lines, and compares them with a
 * scenario.
 */
final class Recorder
{
    public readonly RecordingLogger $logger;

    private readonly Exporter $exporter;
    private readonly OpenTelemetry $telemetry;

    /** @var list<array<string, mixed>> */
    private array $events = [];

    public function __construct()
    {
        $this->logger = new RecordingLogger();
        $this->exporter = new Exporter();
        $this->telemetry = new OpenTelemetry($this->exporter, $this->exporter);
    }

    /** @param array<string, mixed> $event */
    public function __invoke(array $event): void
    {
        $this->events[] = $event;
        ($this->telemetry)($event);
    }

    /** @return list<string> */
    public function differences(\stdClass $scenario, Placeholders $known): array
    {
        $found = Compare::exactDifferences(
            'events',
            $known->fill($scenario->events),
            array_map(fn (array $it): array => ['call' => $this->ownNumber($it['call'])] + $it, $this->events),
        );
        if ($this->events !== array_column($this->logger->records, 2)) {
            $found[] = 'the contexts of the log are other events';
        }
        if (isset($scenario->log)) {
            $lines = array_map($this->line(...), $this->logger->records);
            array_push($found, ...Compare::lineDifferences($known->fill($scenario->log), $lines));
        }
        if (isset($scenario->spans)) {
            $spans = array_map($this->sharedForm(...), $this->exporter->spans);
            array_push($found, ...Compare::exactDifferences('spans', $known->fill($scenario->spans), $spans));
        }
        return $found;
    }

    /** The first call is 1, the second 2, and so on. */
    private function ownNumber(int $call): int
    {
        $calls = array_values(array_unique(array_column($this->events, 'call')));
        return array_search($call, $calls, true) + 1;
    }

    /** @param array{string, string, array<string, mixed>} $record */
    private function line(array $record): string
    {
        [$level, $text, $context] = $record;
        $own = $this->ownNumber($context['call']);
        return "$level " . preg_replace("/ call={$context['call']}(?= |$)/", " call=$own", $text, 1);
    }

    /** @return array<string, mixed> */
    private function sharedForm(Span $span): array
    {
        $named = static fn (array $event): array => ['name' => $event[0], 'attributes' => $event[1]];
        return [
            'name' => $span->hasEnded ? $span->name : "$span->name, which never ended",
            'kind' => [SpanKind::KIND_INTERNAL => 'internal', SpanKind::KIND_CLIENT => 'client'][$span->kind],
            'parent' => $span->parent === null ? null : array_search($span->parent, $this->exporter->spans, true),
            'status' => strtolower($span->status[0] ?? 'unset'),
            'description' => $span->status[1] ?? null,
            'attributes' => $span->attributes,
            'events' => array_map($named, $span->events),
        ];
    }
}
