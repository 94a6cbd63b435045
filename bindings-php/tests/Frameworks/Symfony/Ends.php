<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks\Symfony;

use Libpayments\PaymentEnded;

/**
 * Writes down how payments ended.
 */
final class Ends
{
    public function __construct(private string $file)
    {
    }

    public function __invoke(PaymentEnded $ended): void
    {
        if (@file_get_contents(dirname($this->file) . '/listener') === 'throws') {
            throw new \RuntimeException('the mail server is away');
        }
        $end = $ended->isGivenUp() ? 'given up' : ($ended->differs() ? 'differs' : 'ended');
        $line = "$ended->reference, " . ($ended->isPaid() ? 'paid' : 'not paid') . ", $end\n";
        file_put_contents($this->file, $line, FILE_APPEND);
    }
}
