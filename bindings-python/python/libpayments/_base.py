"""What both clients have in common: configuration, and how a call is put."""

from __future__ import annotations

import atexit

from . import _answer, _answers, _native
from ._callbacks import observer_part, signer_parts, store_part
from ._errors import from_report

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any, NoReturn, TypeVar

    from typing_extensions import Unpack

    from ._answer_parts import AccessToken
    from ._config import Configuration
    from ._events import Event
    from ._native import SigningRequest
    from ._protocols import Observer, Signer, TokenStore
    from ._records import PreparedRequest, TokenStatus

    _Self = TypeVar("_Self", bound="BaseClient")
    _Answer = TypeVar("_Answer", bound=_answer.Answer)


# No thread must come back into an interpreter that ends.
atexit.register(_native.close_calls)


class BaseClient:
    """Holds the core's client, and says what it is made from."""

    _native_client: _native.NativeClient | None

    def __init__(
        self,
        *positional: NoReturn,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
        **configuration: Unpack[Configuration],
    ) -> None:
        """Check the configuration, read its files and parse the key.

        Nothing is connected yet. The members are those of
        :class:`Configuration`; ``base_url`` is required. The environment is
        not read.

        Args:
            signer: signs in place of a key: a callable that gets a
                :class:`SigningRequest` and gives the signature's bytes, with
                ``kid`` beside it; or a :class:`Signer`. Give ``public_key``
                to have every signature verified before anything is sent.
            observer: told of what the client does: a callable that gets an
                :class:`Event`, or an :class:`Observer`.
            configuration: the other members, as keywords: of a mapping
                ``Client(**configuration)``.
            positional: none. A file is for :meth:`from_file`.

        Raises:
            ConfigError: it cannot work; ``path`` names the member.
            TypeError: the configuration is not given as keywords.

        """
        _refuse_positional(positional, type(self), "")
        self._native_client = _from_members(configuration, signer, observer, shared=False)

    @classmethod
    def _of(cls: type[_Self], native: _native.NativeClient) -> _Self:
        client = cls.__new__(cls)
        client._native_client = native
        return client

    @classmethod
    def from_file(
        cls: type[_Self],
        path: str | PathLike[str],
        *,
        with_env: bool = False,
        kid: str | None = None,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        token_store: TokenStore | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
    ) -> _Self:
        """Make a client of a JSON file. Paths in it are taken from its folder.

        Args:
            path: the file, for example ``payments.json``.
            with_env: lay the variables ``PAYMENTS_*`` over the file.
            kid: the key id of a ``signer`` that is a callable.
            signer: as for the class.
            token_store: a :class:`TokenStore` of your own.
            observer: as for the class.

        Raises:
            ConfigError: it cannot work; ``path`` names the member.

        """
        parts = (signer_parts(signer, kid), store_part(token_store), observer_part(observer))
        return cls._of(_native.NativeClient.from_file(path, with_env, *parts))

    @classmethod
    def from_env(
        cls: type[_Self],
        *,
        kid: str | None = None,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        token_store: TokenStore | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
    ) -> _Self:
        """Make a client of environment variables.

        There is one for each member: ``PAYMENTS_BASE_URL`` and so on.

        Args:
            kid: the key id of a ``signer`` that is a callable.
            signer: as for the class.
            token_store: a :class:`TokenStore` of your own.
            observer: as for the class.

        Raises:
            ConfigError: it cannot work; ``path`` names the member.

        """
        parts = (signer_parts(signer, kid), store_part(token_store), observer_part(observer))
        return cls._of(_native.NativeClient.from_env(*parts))

    @classmethod
    def shared(
        cls: type[_Self],
        *positional: NoReturn,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
        **configuration: Unpack[Configuration],
    ) -> _Self:
        """Make a client that shares key, token and connections.

        It shares them with all other clients of this process that were made
        so from the same configuration, contents of files included. What is
        Python code is never shared.

        Args:
            signer: as for the class.
            observer: as for the class.
            configuration: as for the class.
            positional: none.

        Raises:
            ConfigError: it cannot work; ``path`` names the member.
            TypeError: the configuration is not given as keywords.

        """
        _refuse_positional(positional, cls, ".shared")
        return cls._of(_from_members(configuration, signer, observer, shared=True))

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return self._core().base_url

    @property
    def kid(self) -> str | None:
        """The key id that requests are signed with, if they are."""
        return self._core().kid

    def _close(self) -> None:
        self._native_client = None

    def _core(self) -> _native.NativeClient:
        native = self._native_client
        if native is None:
            message = "the client is closed; make another one"
            report = {
                "kind": "config",
                "code": "client_closed",
                "message": message,
                "outcome": "not_executed",
            }
            raise from_report(f"{message} [config/client_closed, not_executed]", report)
        return native

    def __repr__(self) -> str:
        """Show the address and the kid, and no secret."""
        name = type(self).__name__
        if self._native_client is None:
            return f"<{name} closed>"
        return f"<{name} base_url={self.base_url!r} kid={self.kid!r}>"

    def _refuse_copy(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(
            f"a {name} cannot be pickled or copied: it holds keys and connections. Use the same "
            f"{name} in all threads, and make one in each process that does not come from fork"
        )

    def __copy__(self) -> NoReturn:
        """Refuse to be copied."""
        self._refuse_copy()

    def __deepcopy__(self, memo: object) -> NoReturn:
        """Refuse to be copied."""
        self._refuse_copy()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be pickled."""
        self._refuse_copy()


def _refuse_positional(positional: tuple[object, ...], kind: type[BaseClient], method: str) -> None:
    if positional:
        name = kind.__name__
        raise TypeError(
            f"{name}{method}() takes the configuration as keywords: for a mapping call "
            f"{name}{method}(**configuration), and for a file {name}.from_file(path)"
        )


def _from_members(
    configuration: Mapping[str, Any],
    signer: Signer | Callable[[SigningRequest], bytes] | None,
    observer: Observer | Callable[[Event], object] | None,
    *,
    shared: bool,
) -> _native.NativeClient:
    members = dict(configuration)
    # A text names a store of the core.
    store = (
        None if isinstance(members.get("token_store"), str) else members.pop("token_store", None)
    )
    return _native.NativeClient.from_members(
        members,
        shared,
        signer_parts(signer, members.get("kid")),
        store_part(store),
        observer_part(observer),
    )


def call(operation: str, request: object, members: Mapping[str, object]) -> _native.Work:
    """Put a call of an operation."""
    return _native.Work.call(operation, _request(operation, request, members))


def prepare(operation: str, request: object, members: Mapping[str, object]) -> _native.Work:
    """Put the preparing of an operation."""
    return _native.Work.prepare(operation, _request(operation, request, members), b"")


def _request(operation: str, request: object, members: Mapping[str, object]) -> object:
    if request is None:
        return members
    if members:
        raise TypeError(f"{operation}() takes a request or keyword arguments, not both")
    return request


def send_head(
    method: str,
    path: str,
    query: Mapping[str, str] | Sequence[tuple[str, str]] | None,
    content_type: str | None,
    reference: str | None,
) -> dict[str, object]:
    """Put the head of the caller's own request."""
    return {
        "method": method,
        "path": path,
        "query": query,
        "content_type": content_type,
        "reference": reference,
    }


def read_answer(kind: type[_Answer], parts: Any) -> _Answer:
    """Give the answer of those parts."""
    return kind(*parts)


def read_any(operation: str, parts: Any) -> Any:
    """Give the answer of an operation that is named."""
    if operation == "access_token":
        return read_token(parts)
    return _answers.ANSWERS.get(operation, _answer.SendAnswer)(*parts)


def read_token(parts: Any) -> AccessToken:
    """Give the token of an answer's parts."""
    from ._answer_parts import AccessToken
    from ._records import members_of

    return members_of(AccessToken, parts[3])


def read_status(members: Any) -> TokenStatus:
    """Give what is known of the token."""
    from ._records import TokenStatus, members_of

    return members_of(TokenStatus, members)


def read_prepared(parts: Any) -> PreparedRequest:
    """Give the prepared request of those parts."""
    from ._records import PreparedRequest

    return PreparedRequest(*parts)
