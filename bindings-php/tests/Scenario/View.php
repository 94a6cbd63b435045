<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\Answer;
use Libpayments\TrackingResult;

/**
 * An answer as the scenarios name its members, read by its public methods.
 */
final class View
{
    /** @var array<string, list<string>> the members of the views, by operation */
    private static array $members = [];

    /** @param array<string, mixed> $manifest */
    public static function learn(array $manifest): void
    {
        foreach ($manifest['operations'] as $operation) {
            self::$members[$operation['name']] = $operation['view'];
        }
    }

    /** @return array<string, mixed> */
    public static function of(string $operation, Answer $answer): array
    {
        $view = [];
        foreach (self::$members[$operation] as $name) {
            $value = $answer->{self::method($name)}();
            $view[$name] = $name === 'result' ? array_map(self::result(...), $value) : $value;
        }
        return $view;
    }

    /** The method that reads a member of a view. */
    public static function method(string $member): string
    {
        return $member === 'answer' ? 'json' : lcfirst(str_replace('_', '', ucwords($member, '_')));
    }

    /** @return array<string, ?string> */
    private static function result(TrackingResult $result): array
    {
        return [
            'customer_email' => $result->customerEmail(),
            'tracking_code' => $result->trackingCode(),
            'order_number' => $result->orderNumber(),
            'status' => $result->status(),
        ];
    }
}
