"""What can go wrong, and whether money may have moved."""

from __future__ import annotations

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ._enums import Outcome
    from ._records import Diagnosis


class PaymentsError(Exception):
    """A failure of libpayments; each kind is a class of its own.

    Read :attr:`outcome` first. ``not_executed`` means that nothing was done.
    ``unknown`` means that the service may have executed the operation, and
    :attr:`advice` says how to find out.

    Neither ``str`` nor ``repr`` shows a secret, a request or an answer.
    """

    kind: str = ""
    """What kind of failure it is, for example ``rejected``."""

    _report: Mapping[str, Any]

    def __init__(
        self,
        text: str = "",
        report: Mapping[str, Any] | None = None,
        request_body: bytes | None = None,
        response_body: bytes | None = None,
    ) -> None:
        """Make an error of the members in ``report``."""
        super().__init__(text)
        self._report = report if report is not None else {}
        self._request_bytes = request_body
        self._response_bytes = response_body
        self.kind = str(self._report.get("kind", type(self).kind))

    @property
    def code(self) -> str:
        """A stable code within the kind, for example ``token_backoff``."""
        return str(self._report.get("code", ""))

    @property
    def help(self) -> str:
        """Where the documentation explains :attr:`code`.

        For example ``docs/errors.md#payment_not_found``.
        """
        from ._kinds import HELP_BASE

        return self._text("help") or HELP_BASE + self.code

    @property
    def message(self) -> str:
        """What happened and what to do next, in one or two sentences."""
        return str(self._report.get("message", ""))

    @property
    def outcome(self) -> Outcome:
        """Whether the operation may have been executed."""
        from ._enums import Outcome

        return Outcome(self._report.get("outcome", Outcome.UNKNOWN))

    @property
    def may_have_been_executed(self) -> bool:
        """Whether :attr:`outcome` is ``unknown``."""
        return self.outcome == "unknown"

    @property
    def advice(self) -> str | None:
        """How to find out what was done, when the outcome is unknown."""
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
        """Your own reference for what was asked, by which it can be found."""
        return self._text("reference")

    @property
    def http_status(self) -> int | None:
        """The status of the service's answer, if there was one."""
        return self._integer("http_status")

    @property
    def retry_after(self) -> int | None:
        """How many seconds to wait before asking again."""
        return self._integer("retry_after")

    @property
    def attempts(self) -> int:
        """How often the request was tried."""
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
        """The hash of a payment that the answer names."""
        return self._text("payment_hash")

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What the doctor found after a 401."""
        found = self._report.get("diagnosis")
        if found is None:
            return None
        from ._records import Diagnosis

        return Diagnosis(found.get("cause"), str(found["finding"]), str(found["message"]))

    @property
    def request_body(self) -> bytes | None:
        """The body that was signed and sent, at most its first 64 KiB.

        It holds payer data and may hold the integration key: do not log it.
        """
        return self._request_bytes

    @property
    def response_body(self) -> bytes | None:
        """The body of the answer, at most its first 64 KiB: do not log it."""
        return self._response_bytes

    def report(self) -> dict[str, Any]:
        """Give all of it but the bytes, for a log of your own.

        ``service_message`` is left out, since it may repeat payer data.
        """
        return {name: value for name, value in self._report.items() if name != "service_message"}

    def _text(self, member: str) -> str | None:
        value = self._report.get(member)
        return None if value is None else str(value)

    def _integer(self, member: str) -> int | None:
        value = self._report.get(member)
        return None if value is None else int(value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all of it but the bytes."""
        return from_report, (str(self), dict(self._report))


class CallCancelledError(PaymentsError):
    """The call was cancelled.

    From :class:`~libpayments.AsyncClient` a cancelled task raises
    :class:`asyncio.CancelledError` as it must; this is its cause.

    The code ``interrupted_after_answer`` means that the call was done, and interrupted before
    its :attr:`answer` could be given.
    """

    kind = "cancelled"

    _parts: tuple[str, Any] | None = None

    @property
    def answer(self) -> Any:
        """The answer of the service, if it was complete; else ``None``.

        It is what the method would have given, and is left out when an error
        is pickled.
        """
        from ._base import read_any

        return None if self._parts is None else read_any(*self._parts)


def from_report(
    text: str,
    report: Mapping[str, Any],
    request_body: bytes | None = None,
    response_body: bytes | None = None,
) -> PaymentsError:
    """Make the exception of an error's report."""
    from ._kinds import CLASSES

    kind = CLASSES.get(str(report.get("kind")), PaymentsError)
    return kind(text, report, request_body, response_body)


def payments_error_in(exception: BaseException | None) -> PaymentsError | None:
    """Find the failed call behind an exception that ended it.

    After Ctrl-C (``KeyboardInterrupt``) or a cancelled task
    (``asyncio.CancelledError``, ``TimeoutError``) this gives the error of the
    call, whose outcome says whether money may have moved. When the call was
    done by then, that is a :class:`CallCancelledError` with the code
    ``interrupted_after_answer``, which holds the answer. ``None`` means that the exception
    came from no call: it may have come before one, or after one had returned.
    """
    seen: set[int] = set()
    waiting = [exception]
    while waiting:
        found = waiting.pop(0)
        if found is None or id(found) in seen:
            continue
        if isinstance(found, PaymentsError):
            return found
        seen.add(id(found))
        waiting += [found.__cause__, found.__context__]
    return None
