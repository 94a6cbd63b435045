<?php

declare(strict_types=1);

namespace Shop;

use Libpayments\ClientInterface;
use Libpayments\Exception\PaymentsException;
use Libpayments\PaymentResponse;

/**
 * A shop's own code around libpayments: pays orders, once each. Its tests are
 * in ShopTest.php.
 */
final class Shop
{
    private const STATES = [
        PaymentResponse::OPEN => 'waiting',
        PaymentResponse::PENDING => 'waiting',
        PaymentResponse::CONFIRMED => 'paid',
        PaymentResponse::CANCELLED => 'declined',
    ];

    public function __construct(private ClientInterface $payments)
    {
    }

    /** Creates the payment of an order, unless that was tried before. */
    public function pay(Order $order): string
    {
        if (!in_array($order->state, ['new', 'failed'], true)) {
            return $this->settle($order);
        }
        // In a real shop, this is committed before the call.
        $order->state = 'unknown';
        try {
            return $this->note($order, $this->payments->createPayment(['payment' => self::paymentOf($order)]));
        } catch (PaymentsException $error) {
            if ($error->mayHaveBeenExecuted()) {
                return $this->settle($order);
            }
            return $order->state = 'failed';
        }
    }

    /** Finds out the outcome of a payment. Safe at any time. */
    public function settle(Order $order): string
    {
        try {
            return $this->note($order, $this->payments->queryPayment(['merchant_payment_code' => $order->number]));
        } catch (PaymentsException) {
            // Still unknown: a job asks again later. Even a payment that is not
            // found may appear yet, so the order is never reopened here.
            return $order->state;
        }
    }

    private function note(Order $order, PaymentResponse $response): string
    {
        return $order->state = self::STATES[$response->status()] ?? 'unknown';
    }

    /** @return array<string, string> */
    private static function paymentOf(Order $order): array
    {
        return [
            'name' => 'Maria Souza',
            'email' => 'maria@example.com',
            'document' => '853.513.468-93',
            'country' => 'br',
            'payment_type_code' => 'pix',
            'currency_code' => 'BRL',
            'merchant_payment_code' => $order->number,
            'amount_total' => $order->amount,
        ];
    }
}
