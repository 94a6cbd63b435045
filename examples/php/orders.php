<?php

/**
 * What both examples keep of an order: that its payment was sent, and the
 * deadline of the call. One file for each order stands in for the database
 * of a shop.
 */

declare(strict_types=1);

namespace Shop;

/** A call ends at this deadline, whatever becomes of it. */
const CALL_SECONDS = 30;

/**
 * How long after that deadline a payment that the service does not find may
 * still turn up. Only then may a person decide.
 */
const SETTLE_AFTER_MINUTES = 15;

/** Keeps an order before its payment is sent; false when it is kept already. */
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

/** Forgets an order whose payment was not executed: it may be paid again. */
function forget(string $order): void
{
    unlink(file_of($order));
}

/** Whether a payment that is not found by now needs the decision of a person. */
function is_overdue(string $order): bool
{
    $deadline = @file_get_contents(file_of($order));
    // Without a record, nobody knows when the payment was sent. One that is
    // being written, or was never finished, is as old as its file.
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
