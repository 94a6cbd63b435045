<?php

// Generated from spec/operations by generate/templates/Part.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\ReadByMethods;

/**
 * The next action to show the payer, so that the payment is made.
 */
final class NextAction
{
    use ReadByMethods;

    private Hidden $members;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(#[\SensitiveParameter] array $members)
    {
        $this->members = new Hidden($members);
    }

    /** `qr_code`, `pay_slip`, `account`, `page`, `none` (nothing to do) or `unknown`. */
    public function kind(): string
    {
        return $this->members->value()['kind'] ?? null;
    }

    /** The code, address, digits or account. */
    public function value(): ?string
    {
        return $this->members->value()['value'] ?? null;
    }

    /** The reference to name with a transfer, or the digits of a pay slip that has an address. */
    public function reference(): ?string
    {
        return $this->members->value()['reference'] ?? null;
    }

    /** The last day on which the payer can pay. */
    public function expires(): ?string
    {
        return $this->members->value()['expires'] ?? null;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['kind' => $this->members->value()['kind'] ?? null];
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        return $this->members->value();
    }

    /** @param array<string, mixed> $members */
    public function __unserialize(#[\SensitiveParameter] array $members): void
    {
        $this->__construct($members);
    }
}
