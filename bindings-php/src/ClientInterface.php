<?php

// Generated from spec/operations by generate/templates/ClientInterface.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Exception\PaymentsException;
use Libpayments\Journal\ClientJournal;

/**
 * The methods of `Client`. Take this type where your tests pass a double.
 *
 * @phpstan-import-type CreatePayment from Requests
 * @phpstan-import-type QueryPayment from Requests
 * @phpstan-import-type RefundPayment from Requests
 * @phpstan-import-type CreatePayout from Requests
 * @phpstan-import-type QueryPayout from Requests
 * @phpstan-import-type RegisterTracking from Requests
 * @phpstan-import-type Request from Requests
 */
interface ClientInterface
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
    ): PaymentResponse;

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
    ): PaymentResponse;

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
    ): RefundResponse;

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
    ): PayoutResponse;

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
    ): PayoutResponse;

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
    ): TrackingResponse;

    /**
     * The operation of that name, for example `create_payment`.
     *
     * @param Request|array{}|string $request
     * @throws PaymentsException
     */
    public function call(
        string $operation,
        #[\SensitiveParameter] array|string $request = [],
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): Response;

    /**
     * Returns a bearer token that is valid now.
     *
     * @throws PaymentsException
     */
    public function accessToken(?int $timeoutMs = null): AccessToken;

    /**
     * Returns the state of the bearer token, without fetching one.
     *
     * @throws PaymentsException
     */
    public function tokenStatus(?int $timeoutMs = null): TokenStatus;

    /**
     * Drops the bearer token from this process and the token store, so that the
     * next call requests another one. Nothing else changes: pauses continue,
     * and that request counts like one after a 401.
     *
     * @throws PaymentsException
     */
    public function forgetToken(?int $timeoutMs = null): void;

    /**
     * Obtains the token and opens a connection, so that the next call takes one
     * round trip. Sends nothing to the service. The connection stays open for up
     * to 4 seconds of idleness.
     *
     * @throws PaymentsException
     */
    public function warmUp(?int $timeoutMs = null): void;

    /**
     * Returns the payment with this reference, and creates it if the service has
     * none. A new attempt needs a new reference: a payment that is found is
     * returned in any state, even cancelled.
     *
     * One call sends at most one creation. Two concurrent calls create one payment
     * if they share a journal; without one, that depends on the service.
     *
     * @param CreatePayment|string $request
     * @param ?int $ensureWaitMs how long to wait for a payment that may exist and is not found, in place of the
     *     configuration's `ensure_wait_ms`
     * @throws PaymentsException code `reference_used` if the payment with this reference is another one
     */
    public function ensurePayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
        ?int $ensureWaitMs = null,
    ): EnsuredPayment;

    /**
     * Queries a payment until it is over, or until `$timeoutMs` (by default the
     * client's) has passed: then the last response may be of an open payment.
     * The pauses between queries are a tenth of the elapsed time, but at least two
     * seconds.
     *
     * @param QueryPayment|string $request
     * @throws PaymentsException
     */
    public function waitForPayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PaymentResponse;

    /**
     * Queries open payments, refunds and payouts until each has ended. `Client::follow` describes the options.
     *
     * @param ?list<string> $references
     * @return \Generator<int, FollowEnd>
     * @throws PaymentsException
     */
    public function follow(
        ?array $references = null,
        ?string $state = null,
        ?int $sinceMs = null,
        ?int $giveUpAfterMs = null,
        ?int $perSecond = null,
        bool $byHash = false,
        ?int $forgetAfterMs = null,
        bool $byExternalReference = false,
        bool $byUid = false,
    ): \Generator;

    /** Returns the journal of this client. */
    public function journal(): ClientJournal;

    /**
     * Signs your own bytes and sends them unchanged, to any path under the
     * base URL.
     *
     * @param array<string, string|int>|list<array{string, string|int}> $query
     * @throws PaymentsException
     */
    public function send(
        string $method,
        string $path,
        #[\SensitiveParameter] string $body = '',
        #[\SensitiveParameter] array $query = [],
        ?string $contentType = null,
        ?string $reference = null,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): Response;

    /**
     * Prepares a request for your own HTTP client without sending it. Its risks:
     * {@see PreparedRequest}.
     *
     * @param Request|array<string, mixed>|string $request
     * @throws PaymentsException
     */
    public function prepare(
        string $operation,
        #[\SensitiveParameter] array|string $request,
        #[\SensitiveParameter] string $body = '',
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PreparedRequest;
}
