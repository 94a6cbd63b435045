<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * Thrown by a journal that does not work. Its message becomes part of the
 * call's error or of `journal_failed`, so it must not contain secrets.
 */
final class JournalUnavailable extends \RuntimeException
{
    /**
     * @param ?bool $duringCommit whether a commit was under way, so that what it changed may appear later; false says
     *     that nothing will, null that the journal does not know
     */
    public function __construct(
        string $message = '',
        int $code = 0,
        ?\Throwable $previous = null,
        public readonly ?bool $duringCommit = null,
    ) {
        parent::__construct($message, $code, $previous);
    }
}
