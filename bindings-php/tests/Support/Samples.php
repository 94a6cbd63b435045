<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * Requests to start from.
 */
final class Samples
{
    /**
     * @param array<string, mixed> $members that replace or extend those of the sample
     * @return array<string, mixed>
     */
    public static function payment(array $members = []): array
    {
        $samples = json_decode((string) file_get_contents(Repository::shared('samples.json')), true);
        return ['payment' => $members + $samples['pix_payment']['payment']];
    }

    /** @return array<string, mixed> */
    public static function payout(string $reference): array
    {
        return [
            'external_reference' => $reference, 'country' => 'br', 'amount' => '10.00', 'currency_code' => 'BRL',
            'target' => 'pix_key', 'target_account' => 'joao@example.com', 'payee' => ['name' => 'João Souza'],
        ];
    }
}
