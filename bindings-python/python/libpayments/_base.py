"""The common part of both clients: configuration, and building calls."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from . import _log as _log
from . import _native
from . import _reports as _reports
from ._callbacks import callbacks_of
from ._config import Configuration
from ._error_codes import CLIENT_CLOSED
from ._events import Event
from ._kinds import ConfigError
from ._native import CancelHandle, SigningRequest
from ._protocols import Journal, Observer, Signer, TokenStore
from ._typing import Unpack

# Only the native module imports `_log`, `_reports` and `json`, but tools that pack
# programs, such as PyInstaller, look for imports in Python. Only journals need `json`.
if TYPE_CHECKING:
    import json as json

_Self = TypeVar("_Self", bound="BaseClient")
_Value = TypeVar("_Value")


# No thread may return to an interpreter that is shutting down.
atexit.register(_native.close_calls)


# More than a call needs to return a response, or an exception with it.
_FRAMES = 30


def reserve_frames(count: int = _FRAMES) -> None:
    """Raise ``RecursionError`` before a call whose result it could otherwise lose."""
    if count > 0:
        reserve_frames(count - 1)


class BaseClient:
    """Holds the core's client and its constructors."""

    # The values of a client whose constructor failed or was not called.
    _native_client: _native.NativeClient | None = None

    def __init__(
        self,
        *positional: NoReturn,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
        **configuration: Unpack[Configuration],
    ) -> None:
        """Check the configuration, read its files and parse the key.

        Opens no connection and reads no environment variables. The members are
        those of :class:`Configuration`; ``base_url`` is required.

        Args:
            signer: signs in place of a key: a :class:`Signer`, or a callable
                that takes a :class:`SigningRequest` and returns the bytes of
                the signature. A callable also needs ``kid``. With
                ``public_key``, every signature is verified before anything is
                sent.
            observer: receives the client's events: an :class:`Observer`, or a
                callable that takes an :class:`Event`.
            configuration: the other members, as keywords; for a mapping, use
                ``Client(**configuration)``.
            positional: none. For a file, use :meth:`from_file`.

        Raises:
            ConfigError: the configuration cannot work; ``path`` names the member.
            TypeError: the configuration is not given as keywords.

        """
        try:
            _refuse_positional(bool(positional), type(self), "")
            self._native_client = _from_members(configuration, signer, observer, shared=False)
        finally:
            del positional, configuration

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
        journal: Journal | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
    ) -> _Self:
        """Create a client from a JSON file. Paths in it are relative to its folder.

        Args:
            path: the file, for example ``payments.json``.
            with_env: let the variables ``PAYMENTS_*`` override the file.
            kid: the key id, if ``signer`` is a callable.
            signer: as for the class.
            token_store: your own :class:`TokenStore`.
            journal: your own :class:`Journal`.
            observer: as for the class.

        Raises:
            ConfigError: the configuration cannot work; ``path`` names the member.

        """
        callbacks = callbacks_of(signer, kid, token_store, journal, observer)
        return cls._of(_native.NativeClient.from_file(path, with_env, callbacks))

    @classmethod
    def from_env(
        cls: type[_Self],
        *,
        kid: str | None = None,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        token_store: TokenStore | None = None,
        journal: Journal | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
    ) -> _Self:
        """Create a client from environment variables.

        There is one variable for each member: ``PAYMENTS_BASE_URL`` and so on.

        Args:
            kid: the key id, if ``signer`` is a callable.
            signer: as for the class.
            token_store: your own :class:`TokenStore`.
            journal: your own :class:`Journal`.
            observer: as for the class.

        Raises:
            ConfigError: the configuration cannot work; ``path`` names the member.

        """
        callbacks = callbacks_of(signer, kid, token_store, journal, observer)
        return cls._of(_native.NativeClient.from_env(callbacks))

    @classmethod
    def shared(
        cls: type[_Self],
        *positional: NoReturn,
        signer: Signer | Callable[[SigningRequest], bytes] | None = None,
        observer: Observer | Callable[[Event], object] | None = None,
        **configuration: Unpack[Configuration],
    ) -> _Self:
        """Create a client that shares its key, token and connections.

        It shares them with all clients of this process that this method created
        from the same configuration, including the contents of files. Callbacks
        are never shared.

        Args:
            signer: as for the class.
            observer: as for the class.
            configuration: as for the class.
            positional: none.

        Raises:
            ConfigError: the configuration cannot work; ``path`` names the member.
            TypeError: the configuration is not given as keywords.

        """
        try:
            _refuse_positional(bool(positional), cls, ".shared")
            native = _from_members(configuration, signer, observer, shared=True)
            return cls._of(native)
        finally:
            del positional, configuration

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return self._core().base_url

    @property
    def kid(self) -> str | None:
        """The key id of the signatures, if requests are signed."""
        return self._core().kid

    def _close(self) -> None:
        self._native_client = None

    def _core(self) -> _native.NativeClient:
        native = self._native_client
        if native is None:
            message = "the client is closed; create another one"
            report = {
                "kind": "config",
                "code": CLIENT_CLOSED,
                "message": message,
                "outcome": "not_executed",
            }
            raise ConfigError(f"{message} [config/{CLIENT_CLOSED}, not_executed]", report)
        return native

    def __repr__(self) -> str:
        """Show the address and the kid, but no secrets."""
        name = type(self).__name__
        if self._native_client is None:
            return f"<{name} closed>"
        return f"<{name} base_url={self.base_url!r} kid={self.kid!r}>"

    def _refuse_copy(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(
            f"a {name} cannot be pickled or copied: it holds keys and connections. Use the same "
            f"{name} in all threads, and create one in each process that was not forked"
        )

    def __copy__(self) -> NoReturn:
        """Refuse copying."""
        self._refuse_copy()

    def __deepcopy__(self, memo: object) -> NoReturn:
        """Refuse copying."""
        self._refuse_copy()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse pickling."""
        self._refuse_copy()


class BlockingClient(BaseClient):
    """Makes calls on the calling thread."""

    def _run(
        self,
        work: _native.Work,
        read: Callable[[Any], _Value],
        timeout_ms: int | None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> _Value:
        native = self._core()
        reserve_frames()
        try:
            return read(native.run(work, (timeout_ms, traceparent), cancel))
        except BaseException as raised:
            # Python runs signal handlers at the start of calls and after them. No call
            # comes before this, to let no handler run until the error has its caller.
            if not work.has_value:
                raise
            raise work.exception_after(raised)  # noqa: B904


def _refuse_positional(is_positional: bool, kind: type[BaseClient], method: str) -> None:
    if is_positional:
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
    try:
        # A string selects one of the core's own stores or journals.
        store, journal = (
            None if isinstance(members.get(name), str) else members.pop(name, None)
            for name in ("token_store", "journal")
        )
        callbacks = callbacks_of(signer, members.get("kid"), store, journal, observer)
        return _native.NativeClient.from_members(members, shared, callbacks)
    finally:
        # Here and below: error reporters send the locals of the frames that an
        # exception passed, and these may be secrets or payer data.
        del configuration, members


def call(
    operation: str,
    request: object,
    members: Mapping[str, object],
    ensure_wait_ms: object = None,
) -> _native.Work:
    """Build the call of an operation."""
    try:
        return _native.Work.call(operation, _request(operation, request, members), ensure_wait_ms)
    finally:
        del request, members


def prepare(operation: str, request: object, members: Mapping[str, object]) -> _native.Work:
    """Build the preparation of an operation."""
    try:
        return _native.Work.prepare(operation, _request(operation, request, members), b"")
    finally:
        del request, members


def _request(operation: str, request: object, members: Mapping[str, object]) -> object:
    if request is None:
        return members
    if members:
        del request, members
        raise TypeError(f"{operation}() takes a request or keyword arguments, not both")
    return request


def send_head(
    method: str,
    path: str,
    query: Mapping[str, str] | Sequence[tuple[str, str]] | None,
    content_type: str | None,
    reference: str | None,
) -> dict[str, object]:
    """Build the head of the caller's own request."""
    return {
        "method": method,
        "path": path,
        "query": query,
        "content_type": content_type,
        "reference": reference,
    }
