"""Errors, which say whether money may have moved."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from typing import Any
from weakref import finalize

from . import _native
from ._enums import Outcome
from ._readers import reader_of
from ._records import Diagnosis


class PaymentsError(Exception):
    """A failure of libpayments. Each kind has its own subclass.

    Read :attr:`outcome` first. ``not_executed`` means that nothing was done.
    ``unknown`` means that the service may have executed the operation, and
    ``executed`` that it did, for this call or an earlier one with the same body,
    which does not mean paid: :attr:`advice` says how to find out or to go on.

    ``str`` and ``repr`` never show a secret, a request or a response.
    """

    kind: str = ""
    """The kind of failure, for example ``rejected``."""

    _unread: Any = None
    """Warns when the error is dropped."""

    def __init__(
        self,
        text: str = "",
        report: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
        request_body: bytes | None = None,
        response_body: bytes | None = None,
    ) -> None:
        """Create an error from its members, or from what makes them when one is read."""
        super().__init__(text)
        self._members = report if report is not None else {}
        self._request_bytes = request_body
        self._response_bytes = response_body
        if not callable(self._members):
            self.kind = str(self._members.get("kind", type(self).kind))

    @property
    def _report(self) -> Mapping[str, Any]:
        if callable(self._members):
            self._members = self._members()
        return self._members

    @property
    def code(self) -> str:
        """A stable code within the kind, for example ``token_backoff``."""
        return str(self._report.get("code", ""))

    @property
    def help(self) -> str:
        """Where the documentation explains :attr:`code`.

        For example ``docs/errors.md#payment_not_found``.
        """
        return self._text("help") or _native.HELP_BASE + self.code

    @property
    def message(self) -> str:
        """What happened and what to do next, in one or two sentences."""
        return str(self._report.get("message", ""))

    @property
    def outcome(self) -> Outcome:
        """Whether the operation was executed."""
        self._mark_read()
        return Outcome(self._report.get("outcome", Outcome.UNKNOWN))

    @property
    def may_have_been_executed(self) -> bool:
        """Whether :attr:`outcome` is anything but ``not_executed``."""
        return self.outcome != "not_executed"

    @property
    def advice(self) -> str | None:
        """What to do instead of sending the operation again, unless it was not executed."""
        return self._text("advice")

    @property
    def path(self) -> str | None:
        """The member at fault, for example ``payment.document``."""
        return self._text("path")

    @property
    def operation(self) -> str | None:
        """The operation that failed, for example ``create_payment``."""
        return self._text("operation")

    @property
    def reference(self) -> str | None:
        """Your own reference for the operation."""
        return self._text("reference")

    @property
    def http_status(self) -> int | None:
        """The HTTP status of the service's response, if there was one."""
        return self._integer("http_status")

    @property
    def retry_after(self) -> int | None:
        """How many seconds to wait before the next request."""
        return self._integer("retry_after")

    @property
    def attempts(self) -> int:
        """How many attempts were made, including those that could not connect."""
        return self._integer("attempts") or 0

    @property
    def service_code(self) -> str | None:
        """The service's own code, for example ``BP-DR-0``."""
        return self._text("service_code")

    @property
    def service_message(self) -> str | None:
        """The service's own message. It may repeat payer data: do not log it."""
        return self._text("service_message")

    @property
    def payment_hash(self) -> str | None:
        """The payment hash in the response, if there is one."""
        return self._text("payment_hash")

    @property
    def diagnosis(self) -> Diagnosis | None:
        """After a 401: what the client knows about its credentials."""
        found = self._report.get("diagnosis")
        if found is None:
            return None
        return Diagnosis(found.get("cause"), str(found["finding"]), str(found["message"]))

    @property
    def journal_entry(self) -> dict[str, Any] | None:
        """The earlier call that the journal has under the same reference.

        Its members are ``id``, ``state``, ``hash``, ``uid``, ``has_same_body``
        and ``created_at`` in milliseconds since 1970 UTC.
        """
        entry = self._report.get("journal_entry")
        return None if entry is None else dict(entry)

    @property
    def request_body(self) -> bytes | None:
        """The body that was signed and sent, at most its first 64 KiB.

        It contains payer data and may contain the integration key: do not log it.
        """
        return self._request_bytes

    @property
    def response_body(self) -> bytes | None:
        """The body of the response, at most its first 64 KiB: do not log it."""
        return self._response_bytes

    def report(self) -> dict[str, Any]:
        """Return all members except the bodies, for your own log.

        It omits ``service_message``, which may repeat payer data.
        """
        self._mark_read()
        return {name: value for name, value in self._report.items() if name != "service_message"}

    def _mark_read(self) -> None:
        if self._unread is not None:
            self._unread.detach()

    def _text(self, member: str) -> str | None:
        value = self._report.get(member)
        return None if value is None else str(value)

    def _integer(self, member: str) -> int | None:
        value = self._report.get(member)
        return None if value is None else int(value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all members except the bodies."""
        return type(self), (str(self), dict(self._report))


class CallCancelledError(PaymentsError):
    """The call was cancelled.

    With :class:`~libpayments.AsyncClient`, a cancelled task raises
    :class:`asyncio.CancelledError`, and this error is its cause.

    The code ``interrupted_after_response`` means that the response was complete,
    but the call was interrupted before it could return. :attr:`response` has it.
    """

    kind = "cancelled"

    _parts: tuple[str, Any] | None = None

    @property
    def response(self) -> Any:
        """The response that the method would have returned, or ``None``.

        It is there if the response was complete. Pickling an error drops it.
        """
        if self._parts is None:
            return None
        operation, parts = self._parts
        return reader_of(operation)(parts)


class JournalUnavailableError(Exception):
    """Raised by a :class:`Journal` that does not work.

    Its text becomes part of the call's error or of ``journal_failed``, so it must
    not contain secrets.
    """


def payments_error_in(exception: BaseException | None) -> PaymentsError | None:
    """Find the error of a call in the exception that ended it.

    Use it after Ctrl-C (``KeyboardInterrupt``) or a cancelled task
    (``asyncio.CancelledError``, ``TimeoutError``). The outcome of the error says
    whether money may have moved. If the response was already complete, the error
    is a :class:`CallCancelledError` with the code ``interrupted_after_response``,
    which has the response. ``None`` means that the exception did not come from a
    call: it was raised before one, or after one had returned. It also means that
    if asyncio dropped the error; the logger ``libpayments`` then gets a warning.

    It also searches exception groups. Of several errors in a group, it returns
    one of a call that may have been executed, if there is one.
    """
    found = _find(exception, set())
    if found is not None:
        found._mark_read()
    return found


def _find(exception: BaseException | None, seen: set[int]) -> PaymentsError | None:
    waiting = [exception]
    while waiting:
        found = waiting.pop(0)
        if found is None or id(found) in seen:
            continue
        if isinstance(found, PaymentsError):
            return found
        seen.add(id(found))
        members = [_find(member, seen) for member in _members_of(found)]
        errors = [member for member in members if member is not None]
        # The most careful one first. The sort is stable.
        errors.sort(key=lambda error: error._report.get("outcome") == "not_executed")
        waiting += [found.__cause__, *errors[:1], found.__context__]
    return None


def _members_of(exception: Any) -> tuple[BaseException, ...]:
    """Return the members of an exception group.

    Python 3.10 has no groups, but the package ``exceptiongroup`` has the same class.
    """
    for module in (builtins, sys.modules.get("exceptiongroup")):
        group = getattr(module, "BaseExceptionGroup", None)
        if group is not None and isinstance(exception, group):
            members: tuple[BaseException, ...] = exception.exceptions
            return members
    return ()


def warn_unless_read(exception: BaseException) -> None:
    """Log a warning when the error in this exception is dropped before it was read.

    asyncio keeps only the first error of a ``gather`` that is cancelled, and none of
    the tasks that a ``TaskGroup`` cancels.
    """
    error = _find(exception, set())
    if error is not None and error._report.get("outcome") != "not_executed":
        members = (error.operation, error.reference, str(error.outcome), error.code)
        error._unread = finalize(error, _warn, *members)


def _warn(operation: str | None, reference: str | None, outcome: str, code: str) -> None:
    import logging

    logging.getLogger("libpayments").warning(
        "the error of a cancelled call was dropped before it was read: "
        "%s, reference %s, outcome %s, code %s",
        operation,
        reference,
        outcome,
        code,
    )
