"""Checks of the settings, without network access."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ImproperlyConfigured

from libpayments import PaymentsError

from . import client, is_in_tests


def check_configuration(**_: Any) -> list[CheckMessage]:
    """Check that a client can be made: files can be read, and the key can be parsed.

    Tests need a client only if they pay.
    """
    if is_in_tests():
        return []
    try:
        client()
    except PaymentsError as error:
        text = error.message if error.path is None else f"{error.path}: {error.message}"
        return [Error(f"LIBPAYMENTS: {text}", hint=f"Run `{error.help}`.", id="libpayments.E001")]
    except (ImproperlyConfigured, ImportError, TypeError) as error:
        return [Error(str(error), id="libpayments.E002")]
    return []


def check_journal(**_: Any) -> list[CheckMessage]:
    """Check that a crash cannot make the project pay twice."""
    if getattr(settings, "LIBPAYMENTS", {}).get("JOURNAL") is not None:
        return []
    message = "no journal is configured: after a crash, a payment may be sent twice"
    hint = "Set LIBPAYMENTS['JOURNAL'] to an alias of DATABASES."
    return [Warning(message, hint=hint, id="libpayments.W001")]
