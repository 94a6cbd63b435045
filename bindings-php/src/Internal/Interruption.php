<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception\PaymentsException;
use Libpayments\Response;

/**
 * The exception for a call that had an answer when PHP code threw.
 *
 * @internal
 */
final class Interruption
{
    /**
     * For a handler that throws when the answer has been read.
     *
     * @return \Closure(\Throwable): PaymentsException
     */
    public static function later(#[\SensitiveParameter] string $report, Work $work, ?Response $response): \Closure
    {
        return static fn (\Throwable $thrown): PaymentsException
            => self::exception(Json::decode($report), $work, $thrown, 'a signal handler', $response);
    }

    /**
     * Creates the exception, with the response if there is one.
     *
     * @param array<string, mixed> $report the core's report of the interruption
     * @param string $who names the thrower in the message
     */
    public static function exception(
        #[\SensitiveParameter] array $report,
        Work $work,
        \Throwable $thrown,
        string $who,
        ?Response $response,
    ): PaymentsException {
        $report['operation'] ??= $work->operation;
        $report['code'] = ErrorCode::INTERRUPTED_AFTER_RESPONSE;
        unset($report['help']);
        $report['message'] = "$who threw " . get_debug_type($thrown)
            . ($response === null ? '' : ' after the service had responded')
            . '; see getPrevious()';
        if ($response === null) {
            return Report::exception($report, null, null, $thrown);
        }
        $report['advice'] = 'read the response in getResponse(), and do not send the operation again';
        return Report::exception($report, null, null, $thrown)->withResponse($response);
    }
}
