<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;

/**
 * Calls that are expected to fail.
 */
trait FailedCalls
{
    /**
     * @template T of PaymentsException
     * @param class-string<T> $class
     * @return T
     */
    private static function failed(Client $client, string $class): PaymentsException
    {
        return self::failedIn($client, static fn (): mixed => $client->createPayment(Samples::payment()), $class);
    }

    /**
     * @template T of PaymentsException
     * @param \Closure(Client): mixed $call
     * @param class-string<T> $class
     * @return T
     */
    private static function failedIn(Client $client, \Closure $call, string $class): PaymentsException
    {
        try {
            $call($client);
        } catch (PaymentsException $error) {
            self::assertInstanceOf($class, $error);
            return $error;
        }
        self::fail('the call succeeded');
    }
}
