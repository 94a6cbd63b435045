<?php

declare(strict_types=1);

namespace Libpayments;

// With preloading, the function already exists.
if (!\function_exists(__NAMESPACE__ . '\decimal')) {
    /**
     * Creates a number that keeps exactly the digits of the text, for example
     * `['extra' => ['rate' => decimal('0.50')]]`.
     *
     * @throws Exception\ValidationException if the text is not a JSON number
     */
    function decimal(string $text): Decimal
    {
        return new Decimal($text);
    }
}
