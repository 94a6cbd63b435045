"""Types of arguments other than requests."""

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
"""The body of your own request."""


class CredentialChoice(TypedDict, total=False):
    """The credentials of an operation, where they differ from the default."""

    integration_key: bool
    signature: bool
    bearer: bool


class PublicKey(TypedDict, total=False):
    """A public key for ``doctor``, and the kid that it is registered with."""

    public_key: Required[str]
    kid: str
