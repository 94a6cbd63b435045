<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * The lines that PHP's error_log() gets.
 */
final class ErrorLog
{
    /** The lines that `$act` logs. */
    public static function during(\Closure $act): string
    {
        $folder = new Folder();
        $before = ini_set('error_log', $folder->file('log', ''));
        try {
            $act();
            return (string) file_get_contents($folder->file('log'));
        } finally {
            ini_set('error_log', (string) $before);
        }
    }
}
