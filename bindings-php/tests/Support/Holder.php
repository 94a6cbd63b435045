<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

use Libpayments\Client;

/**
 * Holds a client until PHP shuts down, and then writes which process this is.
 */
final class Holder
{
    private int $payments = 0;

    /** @param string $file gets a line with the number of the process */
    public function __construct(private ?Client $client, private string $file)
    {
    }

    public function __destruct()
    {
        $this->client = null;
        file_put_contents($this->file, getmypid() . "\n", FILE_APPEND);
    }

    /** Pays once, with a reference that begins with `$who`. */
    public function pay(string $who): void
    {
        $reference = "$who-" . ++$this->payments;
        $response = $this->client->createPayment(Samples::payment(['merchant_payment_code' => $reference]));
        if ($response->merchantPaymentCode() !== $reference) {
            throw new \RuntimeException("$reference got another payment");
        }
    }
}
