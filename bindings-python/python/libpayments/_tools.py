"""Functions for keys, signatures and requests that need no client."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from . import _native
from ._records import GeneratedKey, LintWarning, Verification, members_of
from ._types import JsonText


def create_journal(path: str | PathLike[str]) -> None:
    """Make the file of a journal, with its folder if that does not exist.

    A client never makes one on its own. Name the file as ``file:PATH`` in
    ``journal``.

    Raises:
        JournalError: there is such a file, or none can be made there.

    """
    _native.create_journal(path)


def generate_key() -> GeneratedKey:
    """Generate an RSA key pair of 4096 bits. This takes up to a few seconds.

    Keep the private key secret. Send the public key to the service's provider,
    who registers it and returns the kid.
    """
    private_key, public_key = _native.generate_key()
    return GeneratedKey(private_key, public_key)


def lint(request: Mapping[str, object] | JsonText) -> list[LintWarning]:
    """Find values in a request that are well-formed and probably wrong.

    Examines the request for a payment, a payout or a refund: Brazilian tax
    documents whose check digits fail, Pix keys of no known form, methods and
    currencies of another country, and a refund without an amount. Sends nothing,
    and refuses nothing.

    Args:
        request: what ``create_payment``, ``create_payout`` or ``refund_payment``
            takes.

    Raises:
        ValidationError: it is not an object.

    """
    try:
        return [members_of(LintWarning, each) for each in _native.lint(request)]
    finally:
        del request


def qr_png(text: str, *, module_size: int = 6) -> bytes | None:
    """Draw a text as a QR code, a PNG file; ``None`` if it does not fit (2,331 bytes).

    Args:
        text: the content of the code.
        module_size: the side of a module, in pixels, from 1 to 64. A code of 150
            characters has about 60 modules on a side, with its margin.

    Raises:
        ValidationError: the size is another one.

    """
    return _native.qr_png(text, module_size)


def qr_svg(text: str) -> str | None:
    """Draw a text as a QR code, an SVG document; ``None`` if it does not fit (2,331 bytes)."""
    return _native.qr_svg(text)


def verify(token: str | None, body: bytes, *, public_key: str) -> Verification:
    """Check the detached token of ``X-JWS-Signature`` over the exact body.

    Args:
        token: the value of the header, or ``None`` if there was no header.
        body: the bytes that were received.
        public_key: the signer's public key as PEM text.

    Raises:
        ConfigError: the public key cannot be used.

    """
    try:
        return members_of(Verification, _native.verify(public_key, token, body))
    finally:
        del token, body
