<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\AccessToken;
use Libpayments\Response;

/**
 * A response as the scenarios name its members, read by its public methods.
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
        $ofPayment = self::$members['create_payment'];
        self::$members['ensure_payment'] = [...$ofPayment, 'is_created', 'unchecked', 'other_hash'];
    }

    /** @return array<string, mixed> */
    public static function of(string $operation, Response $response): array
    {
        $view = [];
        foreach (self::$members[$operation] as $name) {
            $value = $response->{self::method($name)}();
            $view[$name] = self::plain($value);
        }
        return $view;
    }

    /**
     * Where a response as an array, or as JSON, differs from the results of its methods.
     *
     * @param mixed $view the results of its methods
     * @return list<string>
     */
    public static function differences(Response $response, mixed $view): array
    {
        $array = $response->toArray();
        $found = [];
        $hasMembers = $response::class !== Response::class;
        if ($hasMembers && array_replace($array, array_intersect_key($view, $array)) !== $array) {
            $found[] = 'toArray() is ' . json_encode($array);
        }
        $json = $response instanceof AccessToken ? [] : $array;
        if (json_decode((string) json_encode($response), true) !== $json) {
            $found[] = 'as JSON, the response is ' . json_encode($response);
        }
        foreach (is_array($response->json()) ? $response->json() : [] as $name => $value) {
            if ($response[$name] !== $value || isset($response[$name]) !== ($value !== null)) {
                $found[] = "[$name] is " . json_encode($response[$name]);
            }
        }
        return $found;
    }

    /** The method that reads a member of a view. */
    public static function method(string $member): string
    {
        return $member === 'response' ? 'json' : lcfirst(str_replace('_', '', ucwords($member, '_')));
    }

    /** The value with arrays in place of the objects of this package. */
    public static function plain(mixed $value): mixed
    {
        return match (true) {
            is_array($value) => array_map(self::plain(...), $value),
            is_object($value) && str_starts_with($value::class, 'Libpayments\\') => self::part($value),
            default => $value,
        };
    }

    /** @return array<string, mixed> */
    private static function part(object $part): array
    {
        $view = [];
        foreach ((new \ReflectionClass($part))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
            if (!str_starts_with($method->getName(), '__')) {
                $view[self::member($method->getName())] = $method->invoke($part);
            }
        }
        return $view;
    }

    /** The member that a method reads. */
    private static function member(string $method): string
    {
        return strtolower((string) preg_replace('/[A-Z]/', '_$0', $method));
    }
}
