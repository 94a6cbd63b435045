<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A port of this host.
 */
final class Port
{
    /** A port that nothing listens on. */
    public static function free(): int
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        fclose($server);
        return $port;
    }
}
