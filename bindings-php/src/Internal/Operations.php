<?php

// Generated from spec/operations by generate/templates/Operations.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\AccessToken;
use Libpayments\EnsuredPayment;
use Libpayments\Response;
use Libpayments\PaymentResponse;
use Libpayments\PayoutResponse;
use Libpayments\RefundResponse;
use Libpayments\TrackingResponse;
use Libpayments\Exception\PaymentsException;
use Libpayments\Requests;

/**
 * A method of the client for each operation. Generated, so it is apart from
 * handwritten code.
 *
 * @internal
 * @phpstan-import-type CreatePayment from Requests
 * @phpstan-import-type QueryPayment from Requests
 * @phpstan-import-type RefundPayment from Requests
 * @phpstan-import-type CreatePayout from Requests
 * @phpstan-import-type QueryPayout from Requests
 * @phpstan-import-type RegisterTracking from Requests
 * @phpstan-import-type Request from Requests
 */
trait Operations
{
    /**
     * Creates a payment in one of a country's methods.
     *
     * Members of the request:
     *
     * - `operation`: Kind of request, known to be `request`.
     * - `payment`: The payment.
     * - `payment.name`: Payer name.
     * - `payment.email`: Payer e-mail.
     * - `payment.country`: Lower-case two-letter country code.
     * - `payment.payment_type_code`: Country-specific method code, for example `pix`.
     * - `payment.merchant_payment_code`: Merchant's own reference for the payment.
     * - `payment.currency_code`: Three-letter currency code.
     * - `payment.amount_total`: Amount of the payment in `currency_code`, a decimal above zero: 10.50, not 1050 cents.
     * - `payment.document`: Payer tax id. Required if `country` is `br`.
     * - `payment.integration_key`: Merchant key of this request, if none is configured.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param CreatePayment|string $request the array, or its JSON text
     * @throws PaymentsException with the outcome `unknown`, the payment may exist. Do not send it again; query it by
     *     its `merchant_payment_code` until it is found.
     */
    public function createPayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PaymentResponse {
        return $this->operate('create_payment', $request, PaymentResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Queries a payment, by its hash or by your own reference. Try the query by reference with your service before you
     * depend on it. A query moves no money, and is sent again a few times when the connection or the service fails.
     *
     * Members of the request:
     *
     * - `hash`: The payment hash.
     * - `merchant_payment_code`: Merchant's own reference for the payment.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param QueryPayment|string $request the array, or its JSON text
     * @throws PaymentsException nothing was moved: call it again.
     */
    public function queryPayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PaymentResponse {
        return $this->operate('query_payment', $request, PaymentResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Refunds a payment, in whole or in part. Check the refunded amount in the response of your first partial refund: a
     * service that ignores `amount` refunds the whole payment.
     *
     * Members of the request:
     *
     * - `hash`: The payment hash of the payment to refund.
     * - `merchant_payment_code`: Merchant's own reference for the payment to refund, without a journal.
     * - `operation`: Kind of request, known to be `request`, or `cancel` to cancel an earlier refund.
     * - `amount`: Amount to refund, a decimal above zero: 10.50, not 1050 cents; everything if left out.
     * - `description`: Reason for the refund.
     * - `merchant_refund_code`: Merchant's own reference for the refund.
     * - `refund_id`: The service's id of the refund to cancel.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param RefundPayment|string $request the array, or its JSON text
     * @throws PaymentsException with the outcome `unknown`, the refund may exist. Do not send it again; query the
     *     payment by its `hash` until its response lists the refund.
     */
    public function refundPayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): RefundResponse {
        return $this->operate('refund_payment', $request, RefundResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Sends money to a payee.
     *
     * Members of the request:
     *
     * - `external_reference`: Merchant's reference for the payout.
     * - `country`: Lower-case two-letter country code.
     * - `amount`: Amount to send in `currency_code`, a decimal above zero: 10.50, not 1050 cents.
     * - `currency_code`: Three-letter currency code.
     * - `target`: Kind of destination, for example `pix_key`.
     * - `target_account`: Destination, for `pix_key` the key itself. Required if `target` is `pix_key`.
     * - `payee`: Recipient of the money.
     * - `payee.name`: Payee name.
     * - `payee.email`: Payee e-mail.
     * - `payee.document`: Payee tax id.
     * - `payee.document_type`: Kind of the tax id, for example `CPF`.
     * - `payee.phone`: Payee phone.
     * - `payee.birthdate`: Payee date of birth.
     * - `payee.payee_document_date_issue`: Date of issue of the document.
     * - `payee.bank_info`: Bank account of the payee: its members depend on the country.
     * - `payee_uuid`: The service's id of a registered recipient.
     * - `transaction_type`: Kind of transaction, for example `B2C`.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param CreatePayout|string $request the array, or its JSON text
     * @throws PaymentsException with the outcome `unknown`, the payout may exist. Do not send it again; query it by its
     *     `external_reference` if `payout_query` is on, or look for it on the provider's platform.
     */
    public function createPayout(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PayoutResponse {
        return $this->operate('create_payout', $request, PayoutResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Queries a payout, by its uid or by your own reference. It is off until `payout_query` is on: the interface does
     * not state it, so ask your provider whether the service has it. A query moves no money, and is sent again a few
     * times when the connection or the service fails.
     *
     * Members of the request:
     *
     * - `uid`: The service's id of the payout.
     * - `external_reference`: Merchant's reference for the payout.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param QueryPayout|string $request the array, or its JSON text
     * @throws PaymentsException nothing was moved: call it again.
     */
    public function queryPayout(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PayoutResponse {
        return $this->operate('query_payout', $request, PayoutResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Registers the tracking codes of an order.
     *
     * Members of the request:
     *
     * - `order_number`: Merchant's order reference.
     * - `email`: Customer e-mail.
     * - `tracking_code`: One or more tracking codes, plain or with items and address.
     * - `tracking_code[].tracking_code`: The code.
     * - `tracking_code[].items`: Items in the parcel.
     * - `tracking_code[].items[].sku`: Stock keeping unit.
     * - `tracking_code[].items[].name`: Name of the item.
     * - `tracking_code[].items[].description`: Description of the item.
     * - `tracking_code[].items[].unit_price`: Price per item, sent as given: ask the provider for its unit.
     * - `tracking_code[].items[].quantity`: Number of items.
     * - `tracking_code[].items[].type`: Category of item.
     * - `tracking_code[].address`: Address the parcel was sent to.
     * - `tracking_code[].address.zipcode`: Postal code.
     * - `tracking_code[].address.address`: Street name.
     * - `tracking_code[].address.street_number`: Street number.
     * - `tracking_code[].address.street_complement`: Floor, apartment and similar.
     * - `tracking_code[].address.city`: City.
     * - `tracking_code[].address.state`: State.
     * - `tracking_code[].address.country`: Upper-case two-letter country code.
     * - `tracking_code[].payment_hash`: Hash of the payment of the parcel.
     * - `payment_hash`: Hash of the related payment.
     * - `integration_key`: Merchant key of this request, if none is configured.
     *
     * @param RegisterTracking|string $request the array, or its JSON text
     * @throws PaymentsException with the outcome `unknown`, the codes may be registered, and the interface has no query
     *     for them. Registering them moves no money.
     */
    public function registerTracking(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): TrackingResponse {
        return $this->operate('register_tracking', $request, TrackingResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * The operation of that name, for example `create_payment`: for queues and scripts that have the name as a text.
     *
     * @param Request|array{}|string $request
     * @throws PaymentsException
     */
    public function call(
        string $operation,
        #[\SensitiveParameter] array|string $request = [],
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): Response {
        $body = $operation === 'ensure_payment' ? $this->takeEnsured($request) : Json::take($request, $operation);
        // Not `match`: it ends with a jump, at which PHP runs signal handlers.
        switch ($operation) {
            case 'create_payment':
                return $this->createPayment($body, $timeoutMs, $traceparent);
            case 'query_payment':
                return $this->queryPayment($body, $timeoutMs, $traceparent);
            case 'refund_payment':
                return $this->refundPayment($body, $timeoutMs, $traceparent);
            case 'create_payout':
                return $this->createPayout($body, $timeoutMs, $traceparent);
            case 'query_payout':
                return $this->queryPayout($body, $timeoutMs, $traceparent);
            case 'register_tracking':
                return $this->registerTracking($body, $timeoutMs, $traceparent);
            case 'ensure_payment':
                return $this->ensurePayment($body, $timeoutMs, $traceparent);
            case 'access_token':
                return $this->accessToken($timeoutMs);
            default:
                // The core refuses unknown names.
                return $this->native()->callByName($operation, $body, $timeoutMs, $traceparent);
        }
    }

    abstract public function ensurePayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
        ?int $ensureWaitMs = null,
    ): EnsuredPayment;

    /** @param array<string, mixed>|string $request */
    abstract private function takeEnsured(#[\SensitiveParameter] array|string &$request): string;

    abstract public function accessToken(?int $timeoutMs = null): AccessToken;
}
