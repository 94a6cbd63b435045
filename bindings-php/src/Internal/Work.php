<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * What a call was asked for.
 *
 * @internal
 */
final class Work
{
    use Secret;

    /** Where the reference stands that the core's errors carry: the first of these that is a text. */
    private const REFERENCES = [
        'create_payment' => [['payment', 'merchant_payment_code']],
        'query_payment' => [['merchant_payment_code'], ['hash']],
        'refund_payment' => [['hash']],
        'create_payout' => [['external_reference']],
        'register_tracking' => [['order_number']],
        'send' => [['reference']],
    ];

    /**
     * @param string $request JSON text
     * @param bool $isSent false if the operation is not sent to the service
     */
    public function __construct(
        public readonly string $operation,
        #[\SensitiveParameter] private string $request = '{}',
        public readonly bool $isSent = false,
    ) {
    }

    /** The merchant's own reference, of a request that the core took. */
    public function reference(): ?string
    {
        foreach (self::REFERENCES[$this->operation] ?? [] as $path) {
            $value = Json::decode($this->request);
            foreach ($path as $name) {
                $value = is_array($value) ? $value[$name] ?? null : null;
            }
            if (is_string($value)) {
                return $value;
            }
        }
        return null;
    }
}
