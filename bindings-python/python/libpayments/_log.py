"""Events on the logger ``libpayments``."""

from __future__ import annotations

from typing import Any


def write(level: int, text: str, event: dict[str, Any]) -> None:
    """Log an event, with its members as attributes of the record."""
    import logging

    extra = {f"payments_{name}": value for name, value in event.items()}
    logging.getLogger("libpayments").log(level, "%s", text, extra=extra)
