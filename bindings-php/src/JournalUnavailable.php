<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Thrown by a journal that does not work. Its message becomes part of the
 * call's error or of `journal_failed`, so it must not contain secrets.
 */
final class JournalUnavailable extends \RuntimeException
{
}
