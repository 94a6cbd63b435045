<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception as E;
use Libpayments\Exception\Unknown as U;

/**
 * Converts error reports of the core to exceptions.
 *
 * @internal
 */
final class Report
{
    /** The number of a kind. A kind that is newer than this package has the number of `internal`. */
    public static function number(string $kind): int
    {
        return (Tables::KINDS[$kind] ?? Tables::KINDS['internal'])[0];
    }

    /**
     * Returns the message of a report.
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
     * Creates a report for an error found before the core was called.
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
     * Creates the exception for a report. It keeps the outcome of the report,
     * even if the kind is newer than this package or should not have that
     * outcome.
     *
     * @param array<string, mixed> $report
     */
    public static function exception(
        #[\SensitiveParameter] array $report,
        #[\SensitiveParameter] ?string $requestBody = null,
        #[\SensitiveParameter] ?string $responseBody = null,
        ?\Throwable $previous = null,
    ): E\PaymentsException {
        [, $class, $marked] = Tables::KINDS[$report['kind']] ?? Tables::KINDS['internal'];
        if ($report['outcome'] !== E\PaymentsException::NOT_EXECUTED) {
            $class = $marked[$report['outcome']] ?? U\UnknownInternalException::class;
        }
        return new $class($report, $requestBody, $responseBody, $previous);
    }
}
