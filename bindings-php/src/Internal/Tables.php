<?php

// Generated from spec by generate/templates/Tables.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Exception as E;
use Libpayments\Exception\Executed;
use Libpayments\Exception\Unknown;

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

    /** The command that explains a code. */
    public const EXPLAIN = 'vendor/bin/payments explain';

    /** Number, class, and classes by outcome, by kind. */
    public const KINDS = [
        'config' => [1, E\ConfigException::class, [
            'unknown' => Unknown\UnknownConfigException::class,
        ]],
        'validation' => [2, E\ValidationException::class, [
            'unknown' => Unknown\UnknownValidationException::class,
        ]],
        'signing' => [3, E\SigningException::class, [
            'unknown' => Unknown\UnknownSigningException::class,
        ]],
        'token' => [4, E\TokenException::class, [
            'unknown' => Unknown\UnknownTokenException::class,
        ]],
        'connect' => [5, E\ConnectException::class, [
            'unknown' => Unknown\UnknownConnectException::class,
        ]],
        'tls' => [6, E\TlsException::class, [
            'unknown' => Unknown\UnknownTlsException::class,
        ]],
        'transport' => [7, E\TransportException::class, [
            'unknown' => Unknown\UnknownTransportException::class,
        ]],
        'timeout' => [8, E\TimeoutException::class, [
            'unknown' => Unknown\UnknownTimeoutException::class,
        ]],
        'protocol' => [9, E\ProtocolException::class, [
            'unknown' => Unknown\UnknownProtocolException::class,
        ]],
        'too_large' => [10, E\TooLargeException::class, [
            'unknown' => Unknown\UnknownTooLargeException::class,
        ]],
        'decode' => [11, E\DecodeException::class, [
            'unknown' => Unknown\UnknownDecodeException::class,
        ]],
        'unauthorized' => [12, E\UnauthorizedException::class, [
            'unknown' => Unknown\UnknownUnauthorizedException::class,
        ]],
        'rate_limited' => [13, E\RateLimitedException::class, [
            'unknown' => Unknown\UnknownRateLimitedException::class,
        ]],
        'status' => [14, E\StatusException::class, [
            'unknown' => Unknown\UnknownStatusException::class,
        ]],
        'rejected' => [15, E\RejectedException::class, [
            'unknown' => Unknown\UnknownRejectedException::class,
        ]],
        'cancelled' => [16, E\CancelledException::class, [
            'unknown' => Unknown\UnknownCancelledException::class,
            'executed' => Executed\ExecutedCancelledException::class,
        ]],
        'internal' => [17, E\InternalException::class, [
            'unknown' => Unknown\UnknownInternalException::class,
        ]],
        'journal' => [18, E\JournalException::class, [
            'unknown' => Unknown\UnknownJournalException::class,
            'executed' => Executed\ExecutedJournalException::class,
        ]],
    ];
}
