<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception as E;
use Libpayments\Exception\Unknown as U;

/**
 * Turns reports of the core into exceptions.
 *
 * @internal
 */
final class Report
{
    /** The members of a report, in their order. */
    public const MEMBERS = [
        'kind', 'code', 'message', 'outcome', 'advice', 'path', 'operation', 'reference',
        'http_status', 'service_code', 'service_message', 'payment_hash', 'retry_after',
        'diagnosis', 'attempts',
    ];

    /** Number, class, and class when the outcome is unknown, by kind. */
    public const KINDS = [
        'config' => [1, E\ConfigException::class, null],
        'validation' => [2, E\ValidationException::class, null],
        'signing' => [3, E\SigningException::class, null],
        'token' => [4, E\TokenException::class, null],
        'connect' => [5, E\ConnectException::class, U\UnknownConnectException::class],
        'tls' => [6, E\TlsException::class, U\UnknownTlsException::class],
        'transport' => [7, E\TransportException::class, U\UnknownTransportException::class],
        'timeout' => [8, E\TimeoutException::class, U\UnknownTimeoutException::class],
        'protocol' => [9, E\ProtocolException::class, U\UnknownProtocolException::class],
        'too_large' => [10, E\TooLargeException::class, U\UnknownTooLargeException::class],
        'decode' => [11, E\DecodeException::class, U\UnknownDecodeException::class],
        'unauthorized' => [12, E\UnauthorizedException::class, null],
        'rate_limited' => [13, E\RateLimitedException::class, null],
        'status' => [14, E\StatusException::class, U\UnknownStatusException::class],
        'rejected' => [15, E\RejectedException::class, U\UnknownRejectedException::class],
        'cancelled' => [16, E\CancelledException::class, U\UnknownCancelledException::class],
        'internal' => [17, E\InternalException::class, U\UnknownInternalException::class],
    ];

    /** The number of a kind; that of `internal` for one that is newer than this package. */
    public static function number(string $kind): int
    {
        return (self::KINDS[$kind] ?? self::KINDS['internal'])[0];
    }

    /**
     * A report in words.
     *
     * @param array<string, mixed> $report
     */
    public static function sentence(#[\SensitiveParameter] array $report): string
    {
        $sentence = '';
        foreach (['operation', 'path'] as $name) {
            $sentence .= isset($report[$name]) ? "$report[$name]: " : '';
        }
        $sentence .= $report['message'];
        $sentence .= isset($report['service_code']) ? " (service code $report[service_code])" : '';
        $sentence .= isset($report['advice']) ? "; $report[advice]" : '';
        return "$sentence [$report[kind]/$report[code], $report[outcome]]";
    }

    /**
     * A report of something that went wrong before the core was asked.
     *
     * @return array<string, mixed>
     */
    public static function local(
        string $kind,
        string $code,
        string $message,
        ?string $path = null,
        ?string $operation = null,
    ): array {
        return [
            'kind' => $kind,
            'code' => $code,
            'message' => $message,
            'outcome' => E\PaymentsException::NOT_EXECUTED,
            'path' => $path,
            'operation' => $operation,
            'attempts' => 0,
        ];
    }

    /**
     * The exception of a report. A kind that is newer than this package, and
     * an outcome that its kind should not have, keep their outcome.
     *
     * @param array<string, mixed> $report
     */
    public static function exception(
        #[\SensitiveParameter] array $report,
        #[\SensitiveParameter] ?string $requestBytes = null,
        #[\SensitiveParameter] ?string $responseBytes = null,
        ?\Throwable $previous = null,
    ): E\PaymentsException {
        [, $class, $whenUnknown] = self::KINDS[$report['kind']] ?? self::KINDS['internal'];
        if ($report['outcome'] !== E\PaymentsException::NOT_EXECUTED) {
            $class = $whenUnknown ?? U\UnknownInternalException::class;
        }
        return new $class($report, $requestBytes, $responseBytes, $previous);
    }
}
