"""Types of arguments other than requests."""

from __future__ import annotations

from ._typing import TypedDict

JsonText = str | bytes
"""A whole request as JSON text."""

Bytes = bytes | bytearray | memoryview
"""The body of your own request."""


class CredentialChoice(TypedDict, total=False):
    """The credentials of an operation, where they differ from the default."""

    integration_key: bool
    signature: bool
    bearer: bool
