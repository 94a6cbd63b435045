<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception as E;
use Libpayments\Exception\Unknown as U;

/**
 * The table of errors of the core.
 *
 * @internal
 */
final class Tables
{
    /** The members of a report, in their order. */
    public const MEMBERS = [
        'kind',
        'code',
        'message',
        'outcome',
        'advice',
        'path',
        'operation',
        'reference',
        'http_status',
        'service_code',
        'service_message',
        'payment_hash',
        'retry_after',
        'diagnosis',
        'journal_entry',
        'attempts',
        'help',
    ];

    /** The prefix of a code in `help`. */
    public const HELP_BASE = 'docs/errors.md#';

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
        'journal' => [18, E\JournalException::class, U\UnknownJournalException::class],
    ];
}
