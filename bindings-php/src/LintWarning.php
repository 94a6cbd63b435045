<?php

declare(strict_types=1);

namespace Libpayments;

/**
 * A value of a request that is probably wrong; never the value itself.
 */
final class LintWarning
{
    /**
     * @internal
     * @param array{path: string, code: string, message: string} $members
     */
    public function __construct(private array $members)
    {
    }

    /** The member, for example `payee.document`. */
    public function path(): string
    {
        return $this->members['path'];
    }

    /** What is wrong with it, for example `cpf_check_digits`. */
    public function code(): string
    {
        return $this->members['code'];
    }

    /** What is wrong, and what to do. */
    public function message(): string
    {
        return $this->members['message'];
    }
}
