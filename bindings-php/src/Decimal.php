<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\ErrorCode;
use Libpayments\Internal\Report;

/**
 * A number that keeps exactly the digits it was created from, for members that
 * need a number, if a PHP float would change its digits. Create one with
 * `decimal('0.50')`.
 */
final class Decimal implements \Stringable
{
    private const NUMBER = '/^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/D';

    /** @throws Exception\ValidationException if the text is not a JSON number */
    public function __construct(private readonly string $text)
    {
        if (preg_match(self::NUMBER, $text) !== 1) {
            $message = 'decimal() takes a number as a string, for example "0.50"';
            throw Report::exception(Report::local('validation', ErrorCode::VALUE_INVALID, $message));
        }
    }

    public function __toString(): string
    {
        return $this->text;
    }
}
