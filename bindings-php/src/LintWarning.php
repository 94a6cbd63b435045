<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ReadByMethods;

/**
 * A value of a request that is probably wrong; never the value itself.
 */
final class LintWarning
{
    use ReadByMethods;

    /**
     * @internal
     * @param array{path: string, code: string, certainty: string, message: string} $members
     */
    public function __construct(private array $members)
    {
    }

    /** The member, for example `payee.document`. */
    public function path(): string
    {
        return $this->members['path'];
    }

    /** The mistake, for example `cpf_check_digits`. */
    public function code(): string
    {
        return $this->members['code'];
    }

    /** `certain` if it is surely a mistake, else `perhaps`. */
    public function certainty(): string
    {
        return $this->members['certainty'];
    }

    /** The mistake, and the remedy. */
    public function message(): string
    {
        return $this->members['message'];
    }
}
