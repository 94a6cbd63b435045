# Generated from the core's tables; do not edit. To update: cargo xtask generate

"""Plain values of responses."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TrackingResult:
    """What the service did with one tracking code."""

    customer_email: str | None = field(default=None, repr=False)
    """Customer e-mail."""

    tracking_code: str | None = field(default=None, repr=False)
    """The code."""

    order_number: str | None = field(default=None, repr=False)
    """Merchant's order reference."""

    status: str | None = None
    """``CREATED`` for a newly registered code."""


@dataclass(frozen=True)
class CountMismatch:
    """The service responded for another number of codes than were sent."""

    sent: int
    """How many codes were sent."""

    received: int
    """How many entries came back."""


@dataclass(frozen=True)
class TrackingMismatch:
    """A member of an entry differs from what was sent for it."""

    index: int
    """Which entry of ``result``, counted from zero."""

    member: str
    """Which member of the entry differs."""

    sent: str = field(repr=False)
    """What was sent for it."""

    received: str = field(repr=False)
    """What came back."""


@dataclass(frozen=True)
class AccessToken:
    """A bearer token that is valid now.

    It is a secret.
    """

    access_token: str = field(repr=False)
    """The token itself."""

    token_type: str
    """``bearer``."""

    expires_at: int
    """When it must no longer be used, in seconds since 1970 UTC."""

    scope: str | None = None
    """Scope, as the token server gave it."""

    user_name: str | None = None
    """User name, as the token server gave it."""

    jti: str | None = field(default=None, repr=False)
    """The token's own id, as the token server gave it."""
