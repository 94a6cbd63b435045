"""Following open payments: the ends that are reported."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from os import PathLike
from typing import Any, Literal

from ._events import FollowedOperation
from ._records import Record, members_of


class FollowEnd(Record):
    """The end of a payment, a refund or a payout."""

    operation: FollowedOperation
    """The operation of the payment, the refund or the payout."""
    reference: str
    """Your reference, or the hash or ``uid`` by which it is followed; for a refund the payment
    hash."""
    refund_code: str | None
    """The ``merchant_refund_code`` of a refund."""
    uid: str | None
    """The service's id of a refund or a payout, if it is known."""
    hash: str | None
    """The payment hash, if it is known."""
    other_hash: str | None
    """The hash of a cancelled payment with the same reference, if the payer tried again and this
    one is paid."""
    end: Literal[
        "confirmed", "cancelled", "differs", "given_up", "failed", "query_failing", "behind"
    ]
    """``confirmed`` (paid or refunded), ``cancelled``, ``differs`` (it has ended, but differs
    from the journal), ``given_up`` (queried once a day from then on), or ``failed``: the
    reference is invalid. Two are no ends: ``query_failing`` (queries fail, and pause) and
    ``behind`` (they are late)."""
    status: str | None
    """The code of the last status, such as ``CO``, or ``PA`` of a payout."""
    amount: Decimal | None
    """The amount that the service shows: ``amount_total``, or else ``amount_ext``."""
    currency: str | None
    """Its currency: ``currency_code``, or else ``currency_ext``."""
    repeated: bool
    """Whether this end may have been reported before."""
    final: bool
    """Whether a payment that was given up is never reported again."""
    reason: str | None
    """Why it was given up, differs or failed, or queries fail or are late."""
    code: str | None
    """The code of the error of the last query, or the service's code of a payout that it
    cancelled, such as ``BANK_INFO``."""

    @property
    def is_confirmed(self) -> bool:
        """Whether it is paid, or refunded."""
        return self.end == "confirmed"


def follow_members(
    references: Iterable[str] | None,
    state: str | PathLike[str] | None,
    since: timedelta | None,
    give_up_after: timedelta | None,
    forget_after: timedelta | None,
    others: Mapping[str, object],
) -> dict[str, object]:
    """Build the options of ``follow``."""
    if isinstance(references, str):
        raise TypeError("references must be a collection of strings, not a string")
    return {
        **others,
        "references": None if references is None else list(references),
        "state": None if state is None else os.fspath(state),
        "since_ms": _milliseconds(since),
        "give_up_after_ms": _milliseconds(give_up_after),
        "forget_after_ms": _milliseconds(forget_after),
    }


def read_end(report: Mapping[str, Any]) -> tuple[FollowEnd | None, bool]:
    """Read the next end, if there is one, and whether it is over."""
    end = report["end"]
    return None if end is None else members_of(FollowEnd, end), bool(report["is_over"])


def _milliseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // timedelta(milliseconds=1)
