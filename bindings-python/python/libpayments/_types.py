"""What is given beside requests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Required
elif sys.version_info >= (3, 11):
    from typing import Required

JsonText = str | bytes
"""A whole request as JSON text."""

Bytes = bytes | bytearray | memoryview
"""The body of a request of your own."""


class CredentialChoice(TypedDict, total=False):
    """Which credentials an operation carries, where it differs from the rest."""

    integration_key: bool
    signature: bool
    bearer: bool


class PublicKey(TypedDict, total=False):
    """A public key for the doctor, and the kid under which it is registered."""

    public_key: Required[str]
    kid: str
