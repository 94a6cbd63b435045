"""The native module: the core of libpayments. Private to this package."""

from collections.abc import Callable
from os import PathLike
from typing import Any, final

from ._callbacks import Callbacks

__all__ = [
    "MOST_THREADS",
    "VERSION",
    "Call",
    "CancelHandle",
    "Following",
    "NativeClient",
    "Pending",
    "SigningRequest",
    "Work",
    "close_calls",
    "command_failure",
    "command_plan",
    "create_journal",
    "generate_key",
    "lint",
    "parse_response",
    "propagate",
    "qr_png",
    "qr_svg",
    "verify",
]

VERSION: str
MOST_THREADS: int

@final
class CancelHandle:
    """Cancels calls from another thread."""

    def __new__(cls) -> CancelHandle: ...
    def cancel(self) -> None:
        """Cancel all calls with this handle, current and future."""

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""

@final
class Call:
    """The call that a callback runs for."""

    @property
    def remaining(self) -> float:
        """The seconds until the deadline of the call."""

    @property
    def is_ended(self) -> bool:
        """Whether the call was cancelled, its deadline passed, or Python is ending.

        A callback that waits checks this at least every 100 ms, and gives up if
        it is true.
        """

@final
class SigningRequest:
    """The bytes that a signer signs."""

    @property
    def input(self) -> bytes:
        """The JWS signing input: encoded protected header, a period, the payload."""

    @property
    def sha256(self) -> bytes:
        """The SHA-256 digest of the signing input, for services that sign digests."""

    @property
    def call(self) -> Call:
        """The call that waits for the signature."""

@final
class Work:
    @property
    def has_value(self) -> bool: ...
    def exception_after(self, raised: BaseException) -> BaseException: ...
    @staticmethod
    def call(operation: str, request: object, ensure_wait_ms: object = None) -> Work: ...
    @staticmethod
    def send(head: object, body: object) -> Work: ...
    @staticmethod
    def prepare(operation: str, request: object, body: object) -> Work: ...
    @staticmethod
    def journal(action: str, input: object) -> Work: ...
    @staticmethod
    def token_status() -> Work: ...
    @staticmethod
    def forget_token() -> Work: ...
    @staticmethod
    def warm_up() -> Work: ...

@final
class Pending:
    def withdraw(self) -> str | None: ...
    def cancel(self) -> bool: ...
    def take(self) -> Any: ...
    def cancelled(self) -> BaseException: ...
    @property
    def has_value(self) -> bool: ...
    def exception_after(self, raised: BaseException) -> BaseException: ...

@final
class Following:
    @property
    def number(self) -> int: ...
    def end(self) -> None: ...

@final
class NativeClient:
    @staticmethod
    def from_members(members: object, shared: bool, callbacks: Callbacks) -> NativeClient: ...
    @staticmethod
    def from_file(
        path: str | PathLike[str],
        with_env: bool,
        callbacks: Callbacks,
    ) -> NativeClient: ...
    @staticmethod
    def from_env(callbacks: Callbacks) -> NativeClient: ...
    @property
    def base_url(self) -> str: ...
    @property
    def kid(self) -> str | None: ...
    def run(
        self,
        work: Work,
        limits: tuple[int | None, str | None],
        cancel: CancelHandle | None,
    ) -> Any: ...
    def follow(self, options: object) -> Following: ...
    def report_of_withdrawn(self, work: Work) -> dict[str, Any]: ...
    def start(
        self,
        work: Work,
        limits: tuple[int | None, str | None],
        call_soon: Callable[..., object],
        done: Callable[[], object],
    ) -> Pending: ...

def parse_response(body: bytes, max_values: int) -> Any: ...
def lint(request: object) -> list[dict[str, str]]: ...
def qr_png(text: str, module_size: int) -> bytes | None: ...
def command_plan(input: object) -> dict[str, Any]: ...
def command_failure(input: object) -> dict[str, Any]: ...
def qr_svg(text: str) -> str | None: ...
def verify(public_key: str, token: str | None, body: bytes) -> dict[str, Any]: ...
def create_journal(path: str | PathLike[str]) -> None: ...
def generate_key() -> tuple[str, str]: ...
def close_calls() -> None: ...
def propagate(traceparent: str) -> None: ...
