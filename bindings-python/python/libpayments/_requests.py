# Generated from spec/operations by generate/templates/_requests.py.jinja; do not edit.
# To update: cargo xtask generate

"""The members of requests: their names are those of the service."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from ._typing import Required, TypedDict

Amount = Decimal | int | str
"""A decimal amount above zero: 10.50, not 1050 cents. Its digits reach the service unchanged."""

CountryCode = (
    Literal[
        "ar",
        "bo",
        "br",
        "cl",
        "co",
        "ec",
        "gt",
        "in",
        "mx",
        "pe",
        "py",
        "uy",
    ]
    | str
)
"""A lower-case two-letter country code. The service may know others."""

CurrencyCode = (
    Literal[
        "ARS",
        "BOB",
        "BRL",
        "CLP",
        "COP",
        "USD",
        "GTQ",
        "INR",
        "MXN",
        "PEN",
        "PYG",
        "UYU",
    ]
    | str
)
"""A three-letter currency code. The service may know others."""

PaymentTypeCode = (
    Literal[
        "pix",
        "boleto",
        "banktransfer",
        "bancodobrasil",
        "banrisul",
        "bradesco",
        "itau",
        "provideraccount",
        "picpay",
        "nupay",
        "oxxo",
        "spei",
        "baloto",
        "efecty",
        "pse",
        "eft",
        "bancolombia-button",
        "nequi",
        "pagoefectivo",
        "safetypay",
        "safetypay-cash",
        "safetypay-online",
        "rapipago",
        "pagofacil",
        "cupon",
        "sencillito",
        "servipag",
        "flowcl",
        "webpay",
        "multicaja",
        "machpay",
        "pagosnet",
        "mercadopago",
        "upi",
        "paypal",
        "creditcard",
        "debitcard",
        "visa",
        "mastercard",
        "amex",
        "diners",
        "discover",
        "elo",
        "hipercard",
        "carnet",
    ]
    | str
)
"""A payment method. The service has others, and knows which of them an account may use."""


class Payment(TypedDict, total=False):
    """A payment to make: the object ``payment`` of a request.

    Interface, "Payment request".
    """

    name: Required[str]
    """Payer name."""

    email: Required[str]
    """Payer e-mail."""

    country: Required[CountryCode]
    """Lower-case two-letter country code."""

    payment_type_code: Required[PaymentTypeCode]
    """Country-specific method code, for example ``pix``."""

    merchant_payment_code: Required[str]
    """Merchant's own reference for the payment."""

    currency_code: Required[CurrencyCode]
    """Three-letter currency code."""

    amount_total: Required[Amount]
    """Amount of the payment in ``currency_code``, a decimal above zero: 10.50, not 1050 cents."""

    document: str | None
    """Payer tax id. Required if ``country`` is ``br``."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class CreatePayment(TypedDict, total=False):
    """A request for a payment.

    Interface, "Endpoints".
    """

    operation: str | None
    """Kind of request, known to be ``request``."""

    payment: Required[Payment]
    """The payment."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class QueryPayment(TypedDict, total=False):
    """The payment to query: exactly one of ``hash`` and ``merchant_payment_code``.

    Interface, "Endpoints".
    """

    hash: str
    """The payment hash."""

    merchant_payment_code: str
    """Merchant's own reference for the payment."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class RefundPayment(TypedDict, total=False):
    """The payment to refund, and the amount.

    Interface, "Endpoints".
    """

    hash: str
    """The payment hash of the payment to refund."""

    merchant_payment_code: str
    """Merchant's own reference for the payment to refund, without a journal."""

    operation: str | None
    """Kind of request, known to be ``request``, or ``cancel`` to cancel an earlier refund."""

    amount: Amount
    """Amount to refund, a decimal above zero: 10.50, not 1050 cents; everything if left out."""

    description: str | None
    """Reason for the refund."""

    merchant_refund_code: str | None
    """Merchant's own reference for the refund."""

    refund_id: str | None
    """The service's id of the refund to cancel."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class Payee(TypedDict, total=False):
    """The recipient of a payout.

    Interface, "Payee object".
    """

    name: str | None
    """Payee name."""

    email: str | None
    """Payee e-mail."""

    document: str | None
    """Payee tax id."""

    document_type: str | None
    """Kind of the tax id, for example ``CPF``."""

    phone: str | None
    """Payee phone."""

    birthdate: str | None
    """Payee date of birth."""

    payee_document_date_issue: str | None
    """Date of issue of the document."""

    bank_info: Mapping[str, object] | None
    """Bank account of the payee: its members depend on the country."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class CreatePayout(TypedDict, total=False):
    """A request for a payout.

    Interface, "Payout request".
    """

    external_reference: Required[str]
    """Merchant's reference for the payout."""

    country: Required[CountryCode]
    """Lower-case two-letter country code."""

    amount: Required[Amount]
    """Amount to send in ``currency_code``, a decimal above zero: 10.50, not 1050 cents."""

    currency_code: Required[CurrencyCode]
    """Three-letter currency code."""

    target: str | None
    """Kind of destination, for example ``pix_key``."""

    target_account: str | None
    """Destination, for ``pix_key`` the key itself. Required if ``target`` is ``pix_key``."""

    payee: Payee
    """Recipient of the money."""

    payee_uuid: str
    """The service's id of a registered recipient."""

    transaction_type: str | None
    """Kind of transaction, for example ``B2C``."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class QueryPayout(TypedDict, total=False):
    """The payout to query: exactly one of ``uid`` and ``external_reference``.

    Not stated in the interface.
    """

    uid: str
    """The service's id of the payout."""

    external_reference: str
    """Merchant's reference for the payout."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class Item(TypedDict, total=False):
    """An item of a parcel.

    Interface, "Item".
    """

    sku: str | None
    """Stock keeping unit."""

    name: str | None
    """Name of the item."""

    description: str | None
    """Description of the item."""

    unit_price: int | None
    """Price per item, sent as given: ask the provider for its unit."""

    quantity: int | None
    """Number of items."""

    type: str | None
    """Category of item."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class Address(TypedDict, total=False):
    """The address of a parcel.

    Interface, "Address".
    """

    zipcode: str | None
    """Postal code."""

    address: str | None
    """Street name."""

    street_number: str | None
    """Street number."""

    street_complement: str | None
    """Floor, apartment and similar."""

    city: str | None
    """City."""

    state: str | None
    """State."""

    country: str | None
    """Upper-case two-letter country code."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class TrackingDetails(TypedDict, total=False):
    """A tracking code with the items and the address of its parcel.

    Interface, "Tracking-code object".
    """

    tracking_code: Required[str]
    """The code."""

    items: list[Item] | None
    """Items in the parcel."""

    address: Address | None
    """Address the parcel was sent to."""

    payment_hash: str | None
    """Hash of the payment of the parcel."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class RegisterTracking(TypedDict, total=False):
    """The tracking codes of an order: plain, with details, or mixed.

    Interface, "Tracking request".
    """

    order_number: Required[str]
    """Merchant's order reference."""

    email: Required[str]
    """Customer e-mail."""

    tracking_code: Required[list[str | TrackingDetails]]
    """One or more tracking codes, plain or with items and address."""

    payment_hash: str | None
    """Hash of the related payment."""

    integration_key: str | None
    """Merchant key of this request, if none is configured."""

    extra: Mapping[str, object] | None
    """Members that are in no table; they follow the others as they are."""


class Members(TypedDict, total=False):
    """The members of requests of all operations, for calls by name."""

    operation: str | None
    payment: Payment | None
    integration_key: str | None
    hash: str | None
    merchant_payment_code: str | None
    amount: Amount
    description: str | None
    merchant_refund_code: str | None
    refund_id: str | None
    external_reference: str | None
    country: CountryCode | None
    currency_code: CurrencyCode | None
    target: str | None
    target_account: str | None
    payee: Payee | None
    payee_uuid: str | None
    transaction_type: str | None
    uid: str | None
    order_number: str | None
    email: str | None
    tracking_code: list[str | TrackingDetails] | None
    payment_hash: str | None
    extra: Mapping[str, object] | None


Request = (
    CreatePayment | QueryPayment | RefundPayment | CreatePayout | QueryPayout | RegisterTracking
)
"""A request of any operation."""
