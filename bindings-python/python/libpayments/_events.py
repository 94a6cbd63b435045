# Generated from spec/events.toml by generate/templates/_events.py.jinja; do not edit.
# To update: cargo xtask generate

"""The events that an observer receives."""

from typing import Literal

from ._typing import TypedDict

Operation = Literal[
    "create_payment",
    "query_payment",
    "refund_payment",
    "create_payout",
    "query_payout",
    "register_tracking",
    "access_token",
    "send",
]
"""An operation by its name."""

FollowedOperation = Literal["create_payment", "refund_payment", "create_payout"]
"""An operation whose payment, refund or payout is followed."""

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
    "journal",
]
"""The kind of failure: ``kind`` of a :class:`PaymentsError`."""


class RequestStartedEvent(TypedDict):
    """A call begins: its input was accepted."""

    event: Literal["request_started"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    operation: Operation

    method: str

    path: str
    """The path without query and configured secrets; that of ``send`` up to its second segment."""

    host: str
    """The host of the service, and its port if the address has one."""


class AttemptEvent(TypedDict):
    """A request is about to be sent."""

    event: Literal["attempt"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    operation: Operation

    number: int
    """1 for the first attempt."""


class AttemptEndedEvent(TypedDict):
    """An attempt ended, with a response or without one."""

    event: Literal["attempt_ended"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    operation: Operation

    number: int
    """1 for the first attempt."""

    http_status: int | None
    """The status, if there was a response."""

    kind: ErrorKind | None
    """Why there was no response."""

    duration_us: int
    """How long it took, with the connection."""


class RetryEvent(TypedDict):
    """An attempt failed, and another follows: for a query, or when no connection was made."""

    event: Literal["retry"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    operation: Operation

    number: int
    """The attempt that failed, 1 for the first."""

    kind: ErrorKind

    wait_us: int
    """How long the client waits first."""


class TokenRequestedEvent(TypedDict):
    """The token server was asked for a bearer token."""

    event: Literal["token_requested"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    host: str
    """The host of the token server, and its port if the address has one."""


class TokenFetchedEvent(TypedDict):
    """The token server issued a bearer token."""

    event: Literal["token_fetched"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    duration_us: int

    lifetime_us: int
    """How long it is valid."""


class TokenReusedEvent(TypedDict):
    """A cached bearer token is used."""

    event: Literal["token_reused"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    remaining_us: int
    """How long it remains valid."""


class TokenFailedEvent(TypedDict):
    """No bearer token could be obtained."""

    event: Literal["token_failed"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    kind: ErrorKind

    backoff_us: int | None
    """How long the token server is not contacted (backoff)."""

    duration_us: int
    """How long the call waited for the token server."""


class TokenInvalidatedEvent(TypedDict):
    """A bearer token was refused, and is not used again."""

    event: Literal["token_invalidated"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""


class TokenKeptEvent(TypedDict):
    """A bearer token was refused, and no other is requested now."""

    event: Literal["token_kept"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    backoff_us: int
    """How long no other is requested."""

    reason: str
    """Why."""


class StoreBypassedEvent(TypedDict):
    """A token store failed, and the call continues without it."""

    event: Literal["store_bypassed"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    action: Literal["load", "save", "delete", "lock", "unlock"]
    """The action that failed."""

    reason: str
    """Why, in the store's own words."""


class JournalFailedEvent(TypedDict):
    """A call's end could not be recorded in the journal, or contradicts a person's decision."""

    event: Literal["journal_failed"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    id: str
    """The id of the entry."""

    reason: str
    """Why, in the journal's own words."""


class RequestEndedEvent(TypedDict):
    """A call ended."""

    event: Literal["request_ended"]

    call: int
    """The number of the call, which no other call of the process has."""

    reference: str | None
    """Your own reference, as logs show it; null without one, or with ``log_references`` off."""

    hash: str | None
    """The hash of the payment, once it is known."""

    operation: Operation

    http_status: int | None
    """The status of the last response, if there was one."""

    kind: ErrorKind | None
    """The kind of failure, if the call failed."""

    code: str | None
    """The code of the error, if the call failed."""

    outcome: Literal["not_executed", "unknown", "executed"] | None
    """The outcome, if the call failed."""

    attempts: int
    """How many attempts were made, including those that could not connect."""

    duration_us: int
    """How long the call took, with token and signature."""

    signing_us: int
    """How long signing took, with the wait for other calls that sign."""


Event = (
    RequestStartedEvent
    | AttemptEvent
    | AttemptEndedEvent
    | RetryEvent
    | TokenRequestedEvent
    | TokenFetchedEvent
    | TokenReusedEvent
    | TokenFailedEvent
    | TokenInvalidatedEvent
    | TokenKeptEvent
    | StoreBypassedEvent
    | JournalFailedEvent
    | RequestEndedEvent
)
"""Something that happened during a call. The member ``event`` names it.

Members that end in ``_us`` are whole microseconds. No event holds a secret,
payer data, a query string or text of the service. Further releases may add
events and members: ignore those that you do not know.
"""
