"""Plain values: keys, prepared requests, token status, diagnoses of signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

_Type = TypeVar("_Type")


def members_of(kind: type[_Type], members: Mapping[str, Any]) -> _Type:
    """Create a value from the members that its class knows."""
    known: Any = kind
    return kind(**{name: members[name] for name in known.__dataclass_fields__ if name in members})


@dataclass(frozen=True)
class Diagnosis:
    """Why a request or a signature was refused, as far as this is known.

    After a 401, ``message`` states what the client knows: which credential was
    missing, whether the kid and the bearer token were accepted before, what the
    token server said. ``finding`` names a cause only if these facts leave no
    other: ``see_cause`` for a request that was not signed, ``kid_unregistered``,
    ``bearer_missing`` or ``bearer_refused``; otherwise ``cannot_tell``.

    The other findings are those of :func:`doctor`.

    Findings about the body, which differs from the signed bytes:
    ``body_reserialized``, ``body_pretty_printed``, ``trailing_newline``,
    ``line_ends``, ``byte_order_mark``, ``escaped_non_ascii``,
    ``escaped_slashes``, ``other_bytes_signed``. About how it was signed:
    ``padded_base64``, ``payload_base64_encoded``, ``empty_payload_signed``,
    ``pss_instead_of_pkcs1``, ``other_key``. Otherwise ``valid`` or
    ``nothing_fits``.
    """

    cause: str | None
    """Why the signature does not verify, or ``None`` if it does.

    One of ``missing_signature``, ``invalid_token_format``,
    ``payload_not_detached``, ``invalid_header`` or ``signature_mismatch``.
    """
    finding: str
    """What would have verified, or what else is wrong."""
    message: str
    """The finding as a sentence, with what to do."""


@dataclass(frozen=True)
class TokenStatus:
    """The state of the cached bearer token. Times are in seconds."""

    is_usable: bool
    age: int | None
    remaining: int | None
    backoff: int | None
    """How long the token server is not contacted after it refused (backoff)."""
    scope: str | None = None
    user_name: str | None = None
    jti: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class PreparedRequest:
    """A request with all credentials, for your own HTTP client.

    Its texts and bytes are secrets. Send the body unchanged.
    """

    method: str
    url: str = field(repr=False)
    headers: list[tuple[str, str]] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Verification:
    """Whether a detached token verifies over a body."""

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
    """SPKI PEM: send it to the service's provider, who returns the kid."""
