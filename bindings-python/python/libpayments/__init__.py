"""Payments, refunds, payouts and package tracking in Latin America.

Every request is signed, bearer tokens are fetched when needed, and every
failure says whether money may have moved::

    from decimal import Decimal
    import libpayments

    client = libpayments.Client.from_file("payments.json")
    keep("order-1001")  # in your database, before the call
    try:
        response = client.create_payment(
            payment={
                "name": "Maria Souza",
                "email": "maria@example.com",
                "country": "br",
                "payment_type_code": "pix",
                "merchant_payment_code": "order-1001",
                "currency_code": "BRL",
                "amount_total": Decimal("100.10"),
                "document": "853.513.468-93",
            }
        )
    except libpayments.PaymentsError as error:
        if not error.may_have_been_executed:
            raise  # Nothing was done.
        settle_later("order-1001")  # A job queries it until it is found.
    else:
        print(response.qr_code_value or "no code", response.is_paid)

``Client`` blocks only the calling thread; ``AsyncClient`` is the same for
asyncio. Requests are mappings or keyword arguments with the service's member
names. Amounts are ``Decimal``, ``int`` or ``str``, never ``float``. Responses are
objects that keep the bytes of the response. All exceptions derive from
``PaymentsError``.
"""

from . import _exports, _native
from ._client import Client
from ._errors import CallCancelledError, JournalUnavailableError, PaymentsError, payments_error_in

# kinds:begin: Generated from the core's tables; do not edit. To update: cargo xtask generate
from ._kinds import (
    CallTimeoutError,
    ConfigError,
    ConnectError,
    DecodeError,
    InternalError,
    JournalError,
    ProtocolError,
    RateLimitedError,
    RejectedError,
    SigningError,
    StatusError,
    TlsError,
    TokenError,
    TooLargeError,
    TransportError,
    UnauthorizedError,
    ValidationError,
)

# kinds:end
from ._native import Call, CancelHandle, SigningRequest
from ._response import Response, SendResponse
from ._responses import *

# Type checkers treat this as true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async import AsyncClient
    from ._config import Configuration
    from ._entries import JournalEntry, OpenEntry, Pruned, Recovery
    from ._enums import Outcome

    # events:begin: Generated from the core's tables; do not edit. To update: cargo xtask generate
    from ._events import (
        AttemptEvent,
        ErrorKind,
        Event,
        JournalFailedEvent,
        Operation,
        RequestEndedEvent,
        RequestStartedEvent,
        RetryEvent,
        StoreBypassedEvent,
        TokenFailedEvent,
        TokenFetchedEvent,
        TokenInvalidatedEvent,
        TokenReusedEvent,
    )

    # events:end
    from ._exports import *
    from ._journal import DatabaseJournal
    from ._protocols import (
        Journal,
        JournalCounted,
        JournalFound,
        JournalUpdated,
        Observer,
        Signer,
        TokenStore,
    )
    from ._records import (
        Diagnosis,
        GeneratedKey,
        PreparedRequest,
        TokenStatus,
        Verification,
    )
    from ._tools import create_journal, doctor, generate_key, verify
    from ._types import CredentialChoice, JsonText, PublicKey

__version__ = _native.VERSION

__all__ = [
    "AsyncClient",
    "Call",
    "CancelHandle",
    "Client",
    "Configuration",
    "CredentialChoice",
    "DatabaseJournal",
    "Diagnosis",
    "GeneratedKey",
    "Journal",
    "JournalCounted",
    "JournalEntry",
    "JournalFound",
    "JournalUnavailableError",
    "JournalUpdated",
    "JsonText",
    "Observer",
    "OpenEntry",
    "Outcome",
    "PaymentsError",
    "PreparedRequest",
    "Pruned",
    "PublicKey",
    "Recovery",
    "Response",
    "SendResponse",
    "Signer",
    "SigningRequest",
    "TokenStatus",
    "TokenStore",
    "Verification",
    "__version__",
    "create_journal",
    "doctor",
    "generate_key",
    "payments_error_in",
    "verify",
]
# operations:begin: Generated from the core's tables; do not edit. To update: cargo xtask generate
__all__ += [
    "AccessToken",
    "Address",
    "Amount",
    "CountMismatch",
    "CreatePayment",
    "CreatePayout",
    "Item",
    "Payee",
    "Payment",
    "PaymentResponse",
    "PaymentStatus",
    "PayoutResponse",
    "QueryPayment",
    "RefundPayment",
    "RefundResponse",
    "RefundStatus",
    "RegisterTracking",
    "TrackingDetails",
    "TrackingMismatch",
    "TrackingResponse",
    "TrackingResult",
]
# operations:end

# Names that most programs do not need are imported on first use: asyncio alone
# takes longer to import than all the rest.
_LATER = {
    **_exports.LATER,
    "AsyncClient": "_async",
    "Outcome": "_enums",
    "JournalEntry": "_entries",
    "OpenEntry": "_entries",
    "Pruned": "_entries",
    "Recovery": "_entries",
    "DatabaseJournal": "_journal",
    "Journal": "_protocols",
    "JournalCounted": "_protocols",
    "JournalFound": "_protocols",
    "JournalUpdated": "_protocols",
    "Observer": "_protocols",
    "Signer": "_protocols",
    "TokenStore": "_protocols",
    "Diagnosis": "_records",
    "GeneratedKey": "_records",
    "PreparedRequest": "_records",
    "TokenStatus": "_records",
    "Verification": "_records",
    "create_journal": "_tools",
    "doctor": "_tools",
    "generate_key": "_tools",
    "verify": "_tools",
    "Configuration": "_config",
    "CredentialChoice": "_types",
    "JsonText": "_types",
    "PublicKey": "_types",
}

# names:begin: Generated from the core's tables; do not edit. To update: cargo xtask generate
__all__ += [
    "AttemptEvent",
    "CallCancelledError",
    "CallTimeoutError",
    "ConfigError",
    "ConnectError",
    "DecodeError",
    "ErrorKind",
    "Event",
    "InternalError",
    "JournalError",
    "JournalFailedEvent",
    "Operation",
    "ProtocolError",
    "RateLimitedError",
    "RejectedError",
    "RequestEndedEvent",
    "RequestStartedEvent",
    "RetryEvent",
    "SigningError",
    "StatusError",
    "StoreBypassedEvent",
    "TlsError",
    "TokenError",
    "TokenFailedEvent",
    "TokenFetchedEvent",
    "TokenInvalidatedEvent",
    "TokenReusedEvent",
    "TooLargeError",
    "TransportError",
    "UnauthorizedError",
    "ValidationError",
]

_EVENTS = (
    "AttemptEvent",
    "ErrorKind",
    "Event",
    "JournalFailedEvent",
    "Operation",
    "RequestEndedEvent",
    "RequestStartedEvent",
    "RetryEvent",
    "StoreBypassedEvent",
    "TokenFailedEvent",
    "TokenFetchedEvent",
    "TokenInvalidatedEvent",
    "TokenReusedEvent",
)
_LATER.update(dict.fromkeys(_EVENTS, "_events"))
# names:end

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a name on first use."""
        module = _LATER.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{module}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """Include names that are not imported yet."""
        return sorted({*globals(), *__all__})


del TYPE_CHECKING
