# Generated from spec/errors by generate/templates/_kinds.py.jinja; do not edit.
# To update: cargo xtask generate

"""A class for each kind of failure."""

from __future__ import annotations

from ._errors import CallCancelledError, PaymentsError


class ConfigError(PaymentsError):
    """The configuration cannot work.

    :attr:`path` names the member.
    """

    kind = "config"


class ValidationError(PaymentsError):
    """The request breaks a rule that is known locally.

    :attr:`path` names the member.
    """

    kind = "validation"


class SigningError(PaymentsError):
    """The request could not be signed."""

    kind = "signing"


class TokenError(PaymentsError):
    """No bearer token could be obtained."""

    kind = "token"


class ConnectError(PaymentsError):
    """No connection could be made."""

    kind = "connect"


class TlsError(PaymentsError):
    """The TLS handshake failed."""

    kind = "tls"


class TransportError(PaymentsError):
    """The connection broke."""

    kind = "transport"


class CallTimeoutError(PaymentsError):
    """The deadline passed.

    It is not a :class:`TimeoutError`, so that code that retries timeouts does not repeat a
    payment.
    """

    kind = "timeout"


class ProtocolError(PaymentsError):
    """The response is not HTTP, is a redirect, or is about another payment."""

    kind = "protocol"


class TooLargeError(PaymentsError):
    """A successful response is larger than allowed."""

    kind = "too_large"


class DecodeError(PaymentsError):
    """A successful response is not what the operation promises."""

    kind = "decode"


class UnauthorizedError(PaymentsError):
    """The service responded with 401.

    :attr:`diagnosis` says what the client knows about its credentials.
    """

    kind = "unauthorized"


class RateLimitedError(PaymentsError):
    """The service responded with 429.

    :attr:`retry_after` says how long to wait.
    """

    kind = "rate_limited"


class StatusError(PaymentsError):
    """The service responded with another status that is not 2xx.

    :attr:`http_status` is that status.
    """

    kind = "status"


class RejectedError(PaymentsError):
    """The service responded with 2xx, and the body says that the operation failed.

    :attr:`service_code` is the service's own code.
    """

    kind = "rejected"


class InternalError(PaymentsError):
    """A bug in this library was caught.

    Please report it. The code ``resources_exhausted`` is not a bug: the system gave no thread for
    the call.
    """

    kind = "internal"


class JournalError(PaymentsError):
    """The journal refused the call, or does not work.

    :attr:`journal_entry` says which earlier call refused it.
    """

    kind = "journal"


CLASSES: dict[str, type[PaymentsError]] = {
    "config": ConfigError,
    "validation": ValidationError,
    "signing": SigningError,
    "token": TokenError,
    "connect": ConnectError,
    "tls": TlsError,
    "transport": TransportError,
    "timeout": CallTimeoutError,
    "protocol": ProtocolError,
    "too_large": TooLargeError,
    "decode": DecodeError,
    "unauthorized": UnauthorizedError,
    "rate_limited": RateLimitedError,
    "status": StatusError,
    "rejected": RejectedError,
    "cancelled": CallCancelledError,
    "internal": InternalError,
    "journal": JournalError,
}
"""The class of each kind."""
