<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

/**
 * The members that scenarios may have. Members that are not named here are
 * refused.
 */
final class Members
{
    private const SCENARIO = ['name', 'doc', 'credentials', 'config', 'settings', 'block_tokens', 'faults',
        'client_error', 'steps', 'seen', 'requests', 'effects', 'events', 'log', 'spans'];
    private const STEP = ['call', 'send', 'prepare', 'control', 'sample', 'input', 'input_text', 'set', 'remove',
        'options', 'response', 'error', 'prepared', 'deliver', 'remember'];
    private const SEND = ['method', 'path', 'query', 'body', 'body_base64', 'content_type', 'reference'];
    private const CONTROL = ['method', 'path', 'body'];
    private const OPTIONS = ['timeout_ms', 'traceparent', 'ensure_wait_ms'];
    private const RESPONSE = ['http_status', 'view', 'present', 'body'];
    private const PREPARED = ['method', 'target', 'body', 'body_base64', 'headers', 'has_headers', 'lacks_headers'];

    public static function check(\stdClass $scenario): void
    {
        self::known('scenario', self::SCENARIO, $scenario);
        foreach ($scenario->steps ?? [] as $step) {
            self::known('step', self::STEP, $step);
            foreach (
                ['send' => self::SEND, 'control' => self::CONTROL, 'options' => self::OPTIONS,
                'response' => self::RESPONSE,                 'prepared' => self::PREPARED] as $part => $members
            ) {
                self::known($part, $members, $step->$part ?? new \stdClass());
            }
        }
    }

    /** @param list<string> $members */
    private static function known(string $what, array $members, \stdClass $of): void
    {
        $unknown = array_diff(array_keys(get_object_vars($of)), $members);
        if ($unknown !== []) {
            throw new \LogicException("a $what has members that are not known: " . implode(', ', $unknown));
        }
    }
}
