<?php

declare(strict_types=1);

namespace Shop;

/**
 * An order, which in a real shop is a row of a table.
 */
final class Order
{
    public function __construct(
        public string $number = 'order-1',
        public string $amount = '100.10',
        public string $state = 'new',
    ) {
    }
}
