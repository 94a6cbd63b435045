"""What an observer is told."""

from __future__ import annotations

from typing import Literal, TypedDict

Operation = Literal[
    "create_payment",
    "query_payment",
    "refund_payment",
    "create_payout",
    "register_tracking",
    "access_token",
    "send",
]
"""An operation by its name."""

ErrorKind = Literal[
    "config",
    "validation",
    "signing",
    "token",
    "connect",
    "tls",
    "transport",
    "timeout",
    "protocol",
    "too_large",
    "decode",
    "unauthorized",
    "rate_limited",
    "status",
    "rejected",
    "cancelled",
    "internal",
]
"""What kind of failure it is: ``kind`` of a :class:`PaymentsError`."""


class RequestStartedEvent(TypedDict):
    """A call begins: its input was accepted. ``path`` is without the query."""

    event: Literal["request_started"]
    operation: Operation
    method: str
    path: str


class AttemptEvent(TypedDict):
    """A request is about to be sent; ``number`` is 1 for the first time."""

    event: Literal["attempt"]
    operation: Operation
    number: int


class RetryEvent(TypedDict):
    """Attempt ``number`` failed as ``kind``, and another follows after ``wait_us``.

    That is a query, or a connection that was not made.
    """

    event: Literal["retry"]
    operation: Operation
    number: int
    kind: ErrorKind
    wait_us: int


class TokenFetchedEvent(TypedDict):
    """A token came from the token server, after ``duration_us``."""

    event: Literal["token_fetched"]
    duration_us: int
    lifetime_us: int


class TokenReusedEvent(TypedDict):
    """A token that was there is used; it lives for another ``remaining_us``."""

    event: Literal["token_reused"]
    remaining_us: int


class TokenFailedEvent(TypedDict):
    """No token could be had; nobody asks again for ``quiet_us``."""

    event: Literal["token_failed"]
    kind: ErrorKind
    quiet_us: int | None


class TokenInvalidatedEvent(TypedDict):
    """A token was refused, and is used no more."""

    event: Literal["token_invalidated"]


class StoreBypassedEvent(TypedDict):
    """A token store failed, and says why; the call goes on."""

    event: Literal["store_bypassed"]
    action: Literal["load", "save", "delete", "lock", "unlock"]
    reason: str


class RequestEndedEvent(TypedDict):
    """A call ended; ``kind`` and ``outcome`` are ``None`` unless it failed.

    ``http_status`` is that of the last answer, ``None`` if there was none.
    ``attempts`` says how often the request was sent. ``signing_us`` is a part
    of ``duration_us``, and so is the token.
    """

    event: Literal["request_ended"]
    operation: Operation
    http_status: int | None
    kind: ErrorKind | None
    outcome: Literal["not_executed", "unknown"] | None
    attempts: int
    duration_us: int
    signing_us: int


Event = (
    RequestStartedEvent
    | AttemptEvent
    | RetryEvent
    | TokenFetchedEvent
    | TokenReusedEvent
    | TokenFailedEvent
    | TokenInvalidatedEvent
    | StoreBypassedEvent
    | RequestEndedEvent
)
"""Something that happened during a call, told by its member ``event``.

Members that end in ``_us`` are whole microseconds. No event holds a secret,
payer data, a query string or text of the service. Further releases may add
events and members: leave alone those that you do not know.
"""
