"""Payments, refunds, payouts and package tracking in Latin America.

Every request is signed, bearer tokens are fetched when they are needed, and
every failure says whether money may have moved::

    from decimal import Decimal
    import libpayments

    client = libpayments.Client.from_file("payments.json")
    keep("order-1001")  # in your database, before the call
    try:
        answer = client.create_payment(
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
        print(answer.qr_code_value, answer.is_paid)

``Client`` blocks its thread only; ``AsyncClient`` is the same for asyncio.
Requests are mappings or keyword arguments with the names of the service;
amounts are ``Decimal``, ``int`` or ``str``, and never ``float``. Answers are
objects that keep their bytes. All exceptions are under ``PaymentsError``.
"""

from . import _native
from ._answers import (
    Answer,
    PaymentAnswer,
    PayoutAnswer,
    RefundAnswer,
    SendAnswer,
    TrackingAnswer,
)
from ._client import Client
from ._errors import (
    CallCancelledError,
    CallTimeoutError,
    ConfigError,
    ConnectError,
    DecodeError,
    InternalError,
    PaymentsError,
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
    payments_error_in,
)
from ._native import Call, CancelHandle, SigningRequest

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async import AsyncClient
    from ._codes import Outcome, PaymentStatus, RefundStatus
    from ._events import (
        AttemptEvent,
        ErrorKind,
        Event,
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
    from ._protocols import Observer, Signer, TokenStore
    from ._records import (
        AccessToken,
        CodeMismatch,
        CountMismatch,
        Diagnosis,
        GeneratedKey,
        PreparedRequest,
        TokenStatus,
        TrackingResult,
        Verification,
    )
    from ._requests import (
        Address,
        Amount,
        CreatePayment,
        CreatePayout,
        Item,
        Payee,
        Payment,
        QueryPayment,
        RefundPayment,
        RegisterTracking,
        TrackingDetails,
    )
    from ._tools import doctor, generate_key, verify
    from ._types import Configuration, CredentialChoice, JsonText, PublicKey

__version__ = _native.VERSION

__all__ = [
    "AccessToken",
    "Address",
    "Amount",
    "Answer",
    "AsyncClient",
    "AttemptEvent",
    "Call",
    "CallCancelledError",
    "CallTimeoutError",
    "CancelHandle",
    "Client",
    "CodeMismatch",
    "ConfigError",
    "Configuration",
    "ConnectError",
    "CountMismatch",
    "CreatePayment",
    "CreatePayout",
    "CredentialChoice",
    "DecodeError",
    "Diagnosis",
    "ErrorKind",
    "Event",
    "GeneratedKey",
    "InternalError",
    "Item",
    "JsonText",
    "Observer",
    "Operation",
    "Outcome",
    "Payee",
    "Payment",
    "PaymentAnswer",
    "PaymentStatus",
    "PaymentsError",
    "PayoutAnswer",
    "PreparedRequest",
    "ProtocolError",
    "PublicKey",
    "QueryPayment",
    "RateLimitedError",
    "RefundAnswer",
    "RefundPayment",
    "RefundStatus",
    "RegisterTracking",
    "RejectedError",
    "RequestEndedEvent",
    "RequestStartedEvent",
    "RetryEvent",
    "SendAnswer",
    "Signer",
    "SigningError",
    "SigningRequest",
    "StatusError",
    "StoreBypassedEvent",
    "TlsError",
    "TokenError",
    "TokenFailedEvent",
    "TokenFetchedEvent",
    "TokenInvalidatedEvent",
    "TokenReusedEvent",
    "TokenStatus",
    "TokenStore",
    "TooLargeError",
    "TrackingAnswer",
    "TrackingDetails",
    "TrackingResult",
    "TransportError",
    "UnauthorizedError",
    "ValidationError",
    "Verification",
    "__version__",
    "doctor",
    "generate_key",
    "payments_error_in",
    "verify",
]

# What a program that pays has no need of is imported when it is asked for:
# asyncio alone takes longer than all the rest.
_LATER = {
    "AsyncClient": "_async",
    "Outcome": "_codes",
    "PaymentStatus": "_codes",
    "RefundStatus": "_codes",
    "Observer": "_protocols",
    "Signer": "_protocols",
    "TokenStore": "_protocols",
    "AttemptEvent": "_events",
    "ErrorKind": "_events",
    "Event": "_events",
    "Operation": "_events",
    "RequestEndedEvent": "_events",
    "RequestStartedEvent": "_events",
    "RetryEvent": "_events",
    "StoreBypassedEvent": "_events",
    "TokenFailedEvent": "_events",
    "TokenFetchedEvent": "_events",
    "TokenInvalidatedEvent": "_events",
    "TokenReusedEvent": "_events",
    "AccessToken": "_records",
    "CodeMismatch": "_records",
    "CountMismatch": "_records",
    "Diagnosis": "_records",
    "GeneratedKey": "_records",
    "PreparedRequest": "_records",
    "TokenStatus": "_records",
    "TrackingResult": "_records",
    "Verification": "_records",
    "Address": "_requests",
    "Amount": "_requests",
    "CreatePayment": "_requests",
    "CreatePayout": "_requests",
    "Item": "_requests",
    "Payee": "_requests",
    "Payment": "_requests",
    "QueryPayment": "_requests",
    "RefundPayment": "_requests",
    "RegisterTracking": "_requests",
    "TrackingDetails": "_requests",
    "doctor": "_tools",
    "generate_key": "_tools",
    "verify": "_tools",
    "Configuration": "_types",
    "CredentialChoice": "_types",
    "JsonText": "_types",
    "PublicKey": "_types",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what is asked for."""
        module = _LATER.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{module}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """Name what can be asked for, too."""
        return sorted({*globals(), *__all__})


del TYPE_CHECKING
