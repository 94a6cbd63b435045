<?php

declare(strict_types=1);

namespace Libpayments;

// A server that preloads the package has it already.
if (!\function_exists('Libpayments\decimal')) {
    /**
     * A number that is written with exactly the digits of the text, for
     * example `['extra' => ['rate' => decimal('0.50')]]`.
     *
     * @throws Exception\ValidationException if the text is not a number of JSON
     */
    function decimal(string $text): Decimal
    {
        return new Decimal($text);
    }
}
