<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Client;

/**
 * Pays at its end, with a client that was made before.
 */
final class LastPayment
{
    public static mixed $kept = [];
    public mixed $more = null;

    public function __construct(private string $place, private Client $client)
    {
    }

    public function pay(): void
    {
        $payment = Samples::payment(['merchant_payment_code' => strtr($this->place, ' ', '-')]);
        echo "$this->place: ", $this->client->createPayment($payment)->status(), "\n";
    }

    public function __destruct()
    {
        $this->pay();
    }
}
