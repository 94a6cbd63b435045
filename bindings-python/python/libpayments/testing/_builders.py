"""Responses and errors of a client, made without a service."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .. import PaymentsError, TrackingResponse
from .._response import ResponseMapping

_JSON = [("Content-Type", "application/json")]
# As many values as a client reads by default.
_MAX_VALUES = 100_000

ErrorT = TypeVar("ErrorT", bound=PaymentsError)
ResponseT = TypeVar("ResponseT", bound=ResponseMapping)


def made(
    kind: type[ResponseT],
    view: dict[str, Any],
    places: Mapping[str, Any],
    above: str,
    members: Mapping[str, Any],
) -> ResponseT:
    """Make a response with this `view` of a body.

    The body has each value of `places` at its JSON Pointer, and `members` in the
    object `above`.
    """
    body: dict[str, Any] = {}
    further = {f"{above}/{name}": value for name, value in members.items()}
    for pointer, value in {**places, **further}.items():
        if value is not None:
            _, *names, name = pointer.split("/")
            holder = body
            for each in names:
                holder = holder.setdefault(each, {})
            holder[name] = value
    return kind(200, _JSON, _bytes(body), view, _MAX_VALUES)


def next_action(
    is_over: bool, due_date: str | None, *actions: tuple[str, str | None, str | None]
) -> bytes:
    """Make the next action: the first of these kinds that has a value."""
    found = next((it for it in actions if it[1]), ("unknown", None, None))
    kind, value, reference = ("none", None, None) if is_over else found
    expires = due_date if value else None
    return _bytes({"kind": kind, "value": value, "reference": reference, "expires": expires})


def entries(given: Sequence[Mapping[str, Any]], *names: str) -> bytes:
    """Make a list of objects with these members."""
    return _bytes([{name: it.get(name) for name in names} for it in given])


def tracking_response(
    *tracking_codes: str, order_number: str = "1", customer_email: str = ""
) -> TrackingResponse:
    """Make the response of ``register_tracking``, with every code registered."""
    result = [
        {
            "customer_email": customer_email,
            "tracking_code": code,
            "order_number": order_number,
            "status": "CREATED",
        }
        for code in tracking_codes
    ]
    body = {"status": "SUCCESS", "result": result}
    view = {"status": "SUCCESS", "all_created": True, "result": _bytes(result)}
    return TrackingResponse(200, _JSON, _bytes(body), view, _MAX_VALUES)


def error(kind: type[ErrorT], code: str, *, outcome: str = "unknown", **members: Any) -> ErrorT:
    """Make an error like those that a client raises.

    ::

        client.create_payment.side_effect = error(CallTimeoutError, "deadline_exceeded")

    Args:
        kind: its class.
        code: its code, as ``docs/errors.md`` lists them.
        outcome: ``not_executed``, ``unknown`` or ``executed``.
        members: further members, such as ``reference`` or ``service_code``.

    """
    report = {"kind": kind.kind, "code": code, "outcome": outcome, "message": code, **members}
    return kind(f"{code} ({outcome})", report)


def _bytes(body: object) -> bytes:
    # Amounts may be Decimal, which JSON has no type for; the service writes texts.
    return json.dumps(body, default=str).encode()
