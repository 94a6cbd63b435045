<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\Tests\Support\Sandbox;

/**
 * The requests and effects that the service recorded in its request log and
 * ledger.
 */
final class Service
{
    public function __construct(private Sandbox $sandbox)
    {
    }

    /** @return list<string> */
    public function check(\stdClass $scenario, Placeholders $known): array
    {
        $requests = [];
        $tokens = 0;
        foreach ($this->sandbox->call('GET', '/sandbox/requests')['requests'] as $record) {
            if ($record['operation'] === 'access_token') {
                $tokens++;
            } else {
                $requests[] = $record;
            }
        }
        $found = [
            ...$this->checkCounts($scenario, $requests, $tokens),
            ...$this->checkRequests($scenario, $requests, $known),
            ...$this->checkEffects($scenario),
        ];
        $left = $this->sandbox->call('GET', '/sandbox/faults')['faults'];
        return $left === [] ? $found : [...$found, 'faults that struck nothing: ' . json_encode($left)];
    }

    /**
     * @param list<array<string, mixed>> $requests
     * @return list<string>
     */
    private function checkCounts(\stdClass $scenario, array $requests, int $tokens): array
    {
        $seen = $tokens > 0 ? ['token' => $tokens] : [];
        foreach ($requests as $record) {
            $name = "$record[method] $record[path]";
            $seen[$name] = ($seen[$name] ?? 0) + 1;
        }
        $expected = get_object_vars($scenario->seen ?? new \stdClass());
        ksort($seen);
        ksort($expected);
        return $seen === $expected
            ? []
            : ['the service saw ' . json_encode($seen) . ', expected ' . json_encode($expected)];
    }

    /**
     * @param list<array<string, mixed>> $requests
     * @return list<string>
     */
    private function checkRequests(\stdClass $scenario, array $requests, Placeholders $known): array
    {
        $listed = $scenario->requests ?? null;
        if ($listed !== null && count($listed) !== count($requests)) {
            return [count($requests) . ' requests, and ' . count($listed) . ' are listed'];
        }
        $found = [];
        foreach ($requests as $index => $record) {
            $entry = get_object_vars($known->fill($listed[$index] ?? new \stdClass()));
            $expected = array_merge($this->usual($scenario, $record), $entry);
            $record = $this->readable($record);
            foreach (['has_headers' => true, 'lacks_headers' => false] as $list => $wanted) {
                foreach ($expected[$list] ?? [] as $name) {
                    if (isset($record['headers'][$name]) !== $wanted) {
                        $found[] = "requests/$index: $list $name";
                    }
                }
                unset($expected[$list]);
            }
            array_push($found, ...Compare::differences("requests/$index", (object) $expected, $record));
        }
        return $found;
    }

    /**
     * Rules for every request, unless the scenario overrides them.
     *
     * @param array<string, mixed> $record
     * @return array<string, mixed>
     */
    private function usual(\stdClass $scenario, array $record): array
    {
        if ($record['operation'] === null || $record['complete'] !== true) {
            return [];
        }
        $sent = static fn (string $credential, string $good): string
            => in_array($credential, $scenario->credentials, true) ? $good : 'absent';
        $usual = [
            'signature' => $sent('jws', 'verified'),
            'bearer' => $sent('bearer', 'valid'),
            'integration_key' => $record['operation'] === 'send' ? 'absent' : $sent('integration_key', 'valid'),
        ];
        return $record['method'] === 'GET' ? $usual : $usual + ['resend' => false];
    }

    /**
     * The record with its body as text, its headers by lower-case name, and
     * whether it repeats an earlier request.
     *
     * @param array<string, mixed> $record
     * @return array<string, mixed>
     */
    private function readable(array $record): array
    {
        $body = base64_decode($record['body_base64'], true);
        if (preg_match('//u', $body) === 1) {
            $record['body'] = $body;
        }
        $headers = [];
        foreach ($record['headers'] as [$name, $value]) {
            $headers[strtolower($name)] = $value;
        }
        $record['headers'] = $headers;
        $record['resend'] = $record['resend_of'] !== null;
        return $record;
    }

    /** @return list<string> */
    private function checkEffects(\stdClass $scenario): array
    {
        $list = fn (string $what): array => $this->sandbox->call('GET', "/sandbox/$what")[$what];
        $payments = $list('payments');
        $found = array_filter([
            'payments' => count($payments),
            'refunds' => array_sum(array_map(static fn (array $of): int => count($of['refunds']), $payments)),
            'payouts' => count($list('payouts')),
            'trackings' => count($list('trackings')),
        ]);
        $expected = get_object_vars($scenario->effects ?? new \stdClass());
        ksort($found);
        ksort($expected);
        return $found === $expected
            ? []
            : ['the service made ' . json_encode($found) . ', expected ' . json_encode($expected)];
    }
}
