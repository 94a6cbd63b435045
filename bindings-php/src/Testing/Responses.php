<?php

declare(strict_types=1);

namespace Libpayments\Testing;

use Libpayments\Response;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Report;
use Libpayments\PaymentResponse;
use Libpayments\PayoutResponse;
use Libpayments\RefundResponse;
use Libpayments\TrackingResponse;

/**
 * What a client returns or throws, made without a service: for doubles of
 * `ClientInterface`.
 */
final class Responses
{
    private const HASH = '000000000000000000000000000000000000000000000000';

    /**
     * What `createPayment()` and `queryPayment()` return.
     *
     * @param string $status the status of the payment; `CO` is paid
     * @param array<string, mixed> $members further members of `payment`, such as `amount_ext`
     */
    public static function payment(
        string $status = PaymentResponse::PENDING,
        string $merchantPaymentCode = 'order-1',
        string $hash = self::HASH,
        ?string $qrCodeValue = null,
        array $members = [],
    ): PaymentResponse {
        $view = ['hash' => $hash, 'merchant_payment_code' => $merchantPaymentCode, 'status' => $status];
        $body = ['payment' => [...$view, ...$members], 'status' => 'SUCCESS'];
        if ($qrCodeValue !== null) {
            $body['pix'] = ['qr_code_value' => $qrCodeValue];
        }
        $view += ['is_paid' => $status === PaymentResponse::CONFIRMED, 'qr_code_value' => $qrCodeValue];
        return self::response(PaymentResponse::class, $view, $body);
    }

    /**
     * What `refundPayment()` returns.
     *
     * @param array<string, mixed> $members further members of `refund`
     */
    public static function refund(
        string $status = 'RE',
        string $refundId = '1',
        string $paymentStatus = PaymentResponse::CONFIRMED,
        string $hash = self::HASH,
        array $members = [],
    ): RefundResponse {
        $refund = ['id' => $refundId, 'status' => $status, ...$members];
        $payment = ['hash' => $hash, 'status' => $paymentStatus, 'refunds' => [$refund]];
        $body = ['payment' => $payment, 'refund' => $refund, 'operation' => 'refund', 'status' => 'SUCCESS'];
        $view = ['refund_id' => $refundId, 'refund_status' => $status];
        $view += ['payment_status' => $paymentStatus, 'hash' => $hash];
        return self::response(RefundResponse::class, $view, $body);
    }

    /**
     * What `createPayout()` returns.
     *
     * @param array<string, mixed> $members further members of `payout`
     */
    public static function payout(
        string $status = 'OP',
        string $uid = '00000000-0000-4000-a000-000000000000',
        array $members = [],
    ): PayoutResponse {
        $view = ['uid' => $uid, 'status' => $status];
        return self::response(PayoutResponse::class, $view, ['type' => 'success', 'payout' => [...$view, ...$members]]);
    }

    /** What `registerTracking()` returns, with every code registered. */
    public static function tracking(string ...$codes): TrackingResponse
    {
        $entry = static fn (string $code): array => [
            'customer_email' => null,
            'tracking_code' => $code,
            'order_number' => null,
            'status' => 'CREATED',
        ];
        $body = ['status' => 'SUCCESS', 'result' => array_map($entry, array_values($codes))];
        return self::response(TrackingResponse::class, ['all_created' => true] + $body, $body);
    }

    /**
     * An error as a client throws it.
     *
     * @param string $kind for example `timeout`; it decides the class
     * @param string $code as docs/errors.md lists them
     * @param string $outcome `unknown` or `executed`, which decide the marker interface, or `not_executed`
     * @param array<string, mixed> $members further members, such as `reference` or `service_code`
     */
    public static function error(
        string $kind,
        string $code,
        string $outcome = PaymentsException::UNKNOWN,
        array $members = [],
    ): PaymentsException {
        $report = ['kind' => $kind, 'code' => $code, 'outcome' => $outcome, 'message' => $code];
        return Report::exception([...$report, ...$members]);
    }

    /**
     * @template T of Response
     * @param class-string<T> $class
     * @param array<string, mixed> $view
     * @param array<string, mixed> $body
     * @return T
     */
    private static function response(string $class, array $view, array $body): Response
    {
        $text = json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $headers = [['Content-Type', 'application/json']];
        return new $class(200, $headers, $text, [...$view, 'response' => $body]);
    }
}
