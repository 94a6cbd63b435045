"""Plain values: keys, prepared requests, what is known of tokens and signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

_Type = TypeVar("_Type")


def members_of(kind: type[_Type], members: Mapping[str, Any]) -> _Type:
    """Make a value of those members that its class knows."""
    known: Any = kind
    return kind(**{name: members[name] for name in known.__dataclass_fields__ if name in members})


@dataclass(frozen=True)
class Diagnosis:
    """What is known of why a signature was refused.

    Findings on the body, which differs from what was signed:
    ``body_reserialized``, ``body_pretty_printed``, ``trailing_newline``,
    ``line_ends``, ``byte_order_mark``, ``escaped_non_ascii``,
    ``escaped_slashes``, ``other_bytes_signed``. On how it was signed:
    ``padded_base64``, ``payload_base64_encoded``, ``empty_payload_signed``,
    ``pss_instead_of_pkcs1``, ``other_key``. On a request whose signature is
    good: ``kid_unregistered``, ``bearer_refused``, ``altered_on_the_way``,
    ``cannot_tell``. Else ``valid``, ``see_cause`` or ``nothing_fits``.
    """

    cause: str | None
    """``None`` if the signature verifies, or why not.

    That is ``missing_signature``, ``invalid_token_format``,
    ``payload_not_detached``, ``invalid_header`` or ``signature_mismatch``.
    """
    finding: str
    """What would have verified, or what else is at fault."""
    message: str
    """The same in a sentence, with what to do."""


@dataclass(frozen=True)
class TokenStatus:
    """What is known of the cached bearer token. Times are seconds."""

    is_usable: bool
    age: int | None
    remaining: int | None
    backoff: int | None
    """How long the token server is left alone after it refused."""
    scope: str | None = None
    user_name: str | None = None
    jti: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class PreparedRequest:
    """A request with every credential in place, for an HTTP client of yours.

    Its texts and bytes are secrets. The body must be sent as it is.
    """

    method: str
    url: str = field(repr=False)
    headers: list[tuple[str, str]] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Verification:
    """Whether a detached token fits a body."""

    valid: bool
    kid: str | None = None
    cause: str | None = None
    detail: str | None = None
    remedy: str | None = None


@dataclass(frozen=True)
class GeneratedKey:
    """A new RSA key pair of 4096 bits."""

    private_key: str = field(repr=False)
    """PKCS#8 PEM: keep it in a secrets manager."""
    public_key: str
    """PEM: send it to the service's provider, who returns the kid."""
