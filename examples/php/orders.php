<?php

/**
 * The record of an order that both examples share: its payment was sent, with
 * this deadline. One file per order takes the place of a shop's database.
 */

declare(strict_types=1);

namespace Shop;

/** The deadline of a call. */
const CALL_SECONDS = 30;

/**
 * For this long after the deadline, a payment that the service does not find
 * may still appear. After that, a person may decide.
 */
const SETTLE_AFTER_MINUTES = 15;

/** Saves an order before its payment is sent. Returns false if it was saved before. */
function keep(string $order): bool
{
    $file = @fopen(file_of($order), 'x');
    if ($file === false && is_file(file_of($order))) {
        return false;
    }
    if ($file === false || fwrite($file, (string) (time() + CALL_SECONDS)) === false || !fsync($file)) {
        throw new \RuntimeException("$order cannot be kept, so it is not sent: make the folder writable");
    }
    fclose($file);
    return true;
}

/** Deletes the record of an order that was not executed: it may be paid again. */
function forget(string $order): void
{
    unlink(file_of($order));
}

/** Whether a person must decide about a payment that is still not found. */
function is_overdue(string $order): bool
{
    $deadline = @file_get_contents(file_of($order));
    // Without a record, the time of sending is unknown. An incomplete record
    // is as old as its file.
    if ($deadline === false) {
        return false;
    }
    $deadline = (int) $deadline ?: (int) filemtime(file_of($order)) + CALL_SECONDS;
    return time() > $deadline + 60 * SETTLE_AFTER_MINUTES;
}

function file_of(string $order): string
{
    return rawurlencode($order) . '.sent';
}
