"""Plain values: keys, prepared requests, token status, diagnoses of signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

from ._typing import dataclass_transform

_Type = TypeVar("_Type", bound="Record")


@dataclass_transform(frozen_default=True)
class Record:
    """A plain value with the members that its class names.

    It behaves like a frozen dataclass. Importing ``dataclasses`` and making such
    classes takes longer than importing all the rest of this package.
    """

    __match_args__: tuple[str, ...] = ()

    _secret: ClassVar[tuple[str, ...]] = ()
    """Members that ``repr`` does not show."""

    def __init_subclass__(cls) -> None:
        """Read the names of the members."""
        cls.__match_args__ = tuple(cls.__annotations__)  # type: ignore[misc]

    def __init__(self, *values: Any, **members: Any) -> None:
        """Take the members in their order, or by their names."""
        names = self.__match_args__
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} takes {len(names)} members")
        for name, value in zip(names, values, strict=False):
            if name in members:
                raise TypeError(f"{type(self).__name__} got {name} twice")
            members[name] = value
        for name in names:
            if name not in members and not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} needs {name}")
            self.__dict__[name] = members.pop(name, getattr(type(self), name, None))
        if members:
            raise TypeError(f"{type(self).__name__} has no member {min(members)}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse a change."""
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse a change."""
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        """Compare all members."""
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Hash all members."""
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        """Show the members that are not secret."""
        shown = [f"{name}={it!r}" for name, it in vars(self).items() if name not in self._secret]
        return f"{type(self).__name__}({', '.join(shown)})"


def members_of(kind: type[_Type], members: Mapping[str, Any]) -> _Type:
    """Create a value from the members that its class knows."""
    return kind(**{name: members[name] for name in kind.__match_args__ if name in members})


class Diagnosis(Record):
    """Why a request got a 401, as far as the client knows.

    ``message`` states what the client knows: which credential was
    missing, whether the kid and the bearer token were accepted before, what the
    token server said. ``finding`` names a cause only if these facts leave no
    other: ``see_cause`` for a request that was not signed, ``kid_unregistered``,
    ``bearer_missing`` or ``bearer_refused``; otherwise ``cannot_tell``.
    """

    cause: str | None
    """``missing_signature`` if the request was not signed, else ``None``."""
    finding: str
    """The finding that fits the facts, by name."""
    message: str
    """The finding as a sentence, with what to do."""


class TokenStatus(Record):
    """The state of the cached bearer token. Times are in seconds."""

    _secret = ("jti",)

    is_usable: bool
    age: int | None
    remaining: int | None
    backoff: int | None
    """How long the token server is not contacted after it refused (backoff)."""
    scope: str | None = None
    user_name: str | None = None
    jti: str | None = None


class PreparedRequest(Record):
    """A request with all credentials, for your own HTTP client.

    Its texts and bytes are secrets. Send the body unchanged.
    """

    _secret = ("url", "headers", "body")

    method: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes


class Verification(Record):
    """Whether a detached token verifies over a body."""

    valid: bool
    kid: str | None = None
    cause: str | None = None
    """``missing_signature``, ``invalid_token_format``, ``payload_not_detached``,
    ``invalid_header`` or ``signature_mismatch``; ``None`` if it verifies."""
    detail: str | None = None
    remedy: str | None = None


class LintWarning(Record):
    """A value of a request that is probably wrong; never the value itself."""

    path: str
    """The member, for example ``payee.document``."""
    code: str
    """The mistake, for example ``cpf_check_digits``."""
    certainty: str
    """``certain`` if it is surely a mistake, else ``perhaps``."""
    message: str
    """The mistake, and the remedy."""


class GeneratedKey(Record):
    """A new RSA key pair of 4096 bits."""

    _secret = ("private_key",)

    private_key: str
    """PKCS#8 PEM: keep it in a secrets manager."""
    public_key: str
    """SPKI PEM: send it to the service's provider, who returns the kid."""
