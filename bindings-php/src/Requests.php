<?php

// Generated from spec/operations by generate/templates/Requests.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * The members of requests: their names are those of the service.
 *
 * Editors, PHPStan and Psalm read these types; other classes import them with
 * `@phpstan-import-type CreatePayment from \Libpayments\Requests`.
 *
 * Payment: A payment to make: the object `payment` of a request. Interface, "Payment request".
 *
 * - `name`: Payer name.
 * - `email`: Payer e-mail.
 * - `country`: Lower-case two-letter country code.
 * - `payment_type_code`: Country-specific method code, for example `pix`.
 * - `merchant_payment_code`: Merchant's own reference for the payment.
 * - `currency_code`: Three-letter currency code.
 * - `amount_total`: Amount of the payment in `currency_code`, a decimal above zero: 10.50, not 1050 cents.
 * - `document`: Payer tax id. Required if `country` is `br`.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type Payment array{
 *     name: string,
 *     email: string,
 *     country: string,
 *     payment_type_code: string,
 *     merchant_payment_code: string,
 *     currency_code: string,
 *     amount_total: string|int|Decimal,
 *     document?: string|null,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * CreatePayment: A request for a payment. Interface, "Endpoints".
 *
 * - `operation`: Kind of request, known to be `request`.
 * - `payment`: The payment.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type CreatePayment array{
 *     operation?: string|null,
 *     payment: Payment,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * QueryPayment: The payment to query: exactly one of `hash` and `merchant_payment_code`. Interface, "Endpoints".
 *
 * - `hash`: The payment hash.
 * - `merchant_payment_code`: Merchant's own reference for the payment.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type QueryPayment array{
 *     hash?: string,
 *     merchant_payment_code?: string,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * RefundPayment: The payment to refund, and the amount. Interface, "Endpoints".
 *
 * - `hash`: The payment hash of the payment to refund.
 * - `merchant_payment_code`: Merchant's own reference for the payment to refund, without a journal.
 * - `operation`: Kind of request, known to be `request`, or `cancel` to cancel an earlier refund.
 * - `amount`: Amount to refund, a decimal above zero: 10.50, not 1050 cents; everything if left out.
 * - `description`: Reason for the refund.
 * - `merchant_refund_code`: Merchant's own reference for the refund.
 * - `refund_id`: The service's id of the refund to cancel.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type RefundPayment array{
 *     hash?: string,
 *     merchant_payment_code?: string,
 *     operation?: string|null,
 *     amount?: string|int|Decimal,
 *     description?: string|null,
 *     merchant_refund_code?: string|null,
 *     refund_id?: string|null,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * Payee: The recipient of a payout. Interface, "Payee object".
 *
 * - `name`: Payee name.
 * - `email`: Payee e-mail.
 * - `document`: Payee tax id.
 * - `document_type`: Kind of the tax id, for example `CPF`.
 * - `phone`: Payee phone.
 * - `birthdate`: Payee date of birth.
 * - `payee_document_date_issue`: Date of issue of the document.
 * - `bank_info`: Bank account of the payee: its members depend on the country.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type Payee array{
 *     name?: string|null,
 *     email?: string|null,
 *     document?: string|null,
 *     document_type?: string|null,
 *     phone?: string|null,
 *     birthdate?: string|null,
 *     payee_document_date_issue?: string|null,
 *     bank_info?: array<string, mixed>|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * CreatePayout: A request for a payout. Interface, "Payout request".
 *
 * - `external_reference`: Merchant's reference for the payout.
 * - `country`: Lower-case two-letter country code.
 * - `amount`: Amount to send in `currency_code`, a decimal above zero: 10.50, not 1050 cents.
 * - `currency_code`: Three-letter currency code.
 * - `target`: Kind of destination, for example `pix_key`.
 * - `target_account`: Destination, for `pix_key` the key itself. Required if `target` is `pix_key`.
 * - `payee`: Recipient of the money.
 * - `payee_uuid`: The service's id of a registered recipient.
 * - `transaction_type`: Kind of transaction, for example `B2C`.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type CreatePayout array{
 *     external_reference: string,
 *     country: string,
 *     amount: string|int|Decimal,
 *     currency_code: string,
 *     target?: string|null,
 *     target_account?: string|null,
 *     payee?: Payee,
 *     payee_uuid?: string,
 *     transaction_type?: string|null,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * QueryPayout: The payout to query: exactly one of `uid` and `external_reference`. Not stated in the interface.
 *
 * - `uid`: The service's id of the payout.
 * - `external_reference`: Merchant's reference for the payout.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type QueryPayout array{
 *     uid?: string,
 *     external_reference?: string,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * Item: An item of a parcel. Interface, "Item".
 *
 * - `sku`: Stock keeping unit.
 * - `name`: Name of the item.
 * - `description`: Description of the item.
 * - `unit_price`: Price per item, sent as given: ask the provider for its unit.
 * - `quantity`: Number of items.
 * - `type`: Category of item.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type Item array{
 *     sku?: string|null,
 *     name?: string|null,
 *     description?: string|null,
 *     unit_price?: int|null,
 *     quantity?: int|null,
 *     type?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * Address: The address of a parcel. Interface, "Address".
 *
 * - `zipcode`: Postal code.
 * - `address`: Street name.
 * - `street_number`: Street number.
 * - `street_complement`: Floor, apartment and similar.
 * - `city`: City.
 * - `state`: State.
 * - `country`: Upper-case two-letter country code.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type Address array{
 *     zipcode?: string|null,
 *     address?: string|null,
 *     street_number?: string|null,
 *     street_complement?: string|null,
 *     city?: string|null,
 *     state?: string|null,
 *     country?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * TrackingDetails: A tracking code with the items and the address of its parcel. Interface, "Tracking-code object".
 *
 * - `tracking_code`: The code.
 * - `items`: Items in the parcel.
 * - `address`: Address the parcel was sent to.
 * - `payment_hash`: Hash of the payment of the parcel.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type TrackingDetails array{
 *     tracking_code: string,
 *     items?: list<Item>|null,
 *     address?: Address|null,
 *     payment_hash?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * RegisterTracking: The tracking codes of an order: plain, with details, or mixed. Interface, "Tracking request".
 *
 * - `order_number`: Merchant's order reference.
 * - `email`: Customer e-mail.
 * - `tracking_code`: One or more tracking codes, plain or with items and address.
 * - `payment_hash`: Hash of the related payment.
 * - `integration_key`: Merchant key of this request, if none is configured.
 * - `extra`: Members that are in no table; they follow the others as they are.
 *
 * @phpstan-type RegisterTracking array{
 *     order_number: string,
 *     email: string,
 *     tracking_code: list<string|TrackingDetails>,
 *     payment_hash?: string|null,
 *     integration_key?: string|null,
 *     extra?: array<string, mixed>|null,
 * }
 *
 * Request: A request of any operation.
 *
 * @phpstan-type Request CreatePayment|QueryPayment|RefundPayment|CreatePayout|QueryPayout|RegisterTracking
 */
interface Requests
{
}
