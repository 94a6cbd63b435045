"""Converts values of the native module to the results of methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._ensured import EnsuredPayment
from ._records import PreparedRequest, TokenStatus, members_of
from ._response import SendResponse
from ._response_parts import AccessToken
from ._responses import RESPONSES


def reader_of(operation: str) -> Callable[[Any], Any]:
    """Return the function that builds the response of the operation with this name."""
    if operation == "access_token":
        return read_token
    if operation == "ensure_payment":
        return EnsuredPayment._of
    return RESPONSES.get(operation, SendResponse)._of


def read_token(parts: Any) -> AccessToken:
    """Build the token from the parts of a response."""
    return members_of(AccessToken, parts[3])


def read_status(members: Any) -> TokenStatus:
    """Build the token's status."""
    return members_of(TokenStatus, members)


def read_nothing(_: Any) -> None:
    """Return nothing."""


def read_prepared(parts: Any) -> PreparedRequest:
    """Build a prepared request from its parts."""
    return PreparedRequest(*parts)
