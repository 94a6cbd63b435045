"""The exception for a report of the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import PaymentsError
from ._kinds import CLASSES


def from_report(
    text: str,
    report: Mapping[str, Any],
    request_body: bytes | None = None,
    response_body: bytes | None = None,
) -> PaymentsError:
    """Create the exception for an error report."""
    kind = CLASSES.get(str(report.get("kind")), PaymentsError)
    return kind(text, report, request_body, response_body)
