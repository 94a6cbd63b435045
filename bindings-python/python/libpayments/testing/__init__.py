"""The sandbox, and stand-ins for responses and errors, for tests of your own.

The sandbox is the service on loopback. It checks every signature and token,
keeps payments, and fails on request::

    from libpayments.testing import Sandbox

    with Sandbox() as sandbox:
        client = sandbox.client()
        sandbox.fail_next("response_lost")
        ...

With pytest, ``pytest_plugins = ["libpayments.testing.pytest_plugin"]`` in
``conftest.py`` provides the fixture ``payments_sandbox``.

It runs the command ``payments``, which the package ``libpayments-sandbox``
installs. ``payment_response`` and the others need no command: they make what a
client would return, or raise.
"""

from . import _responses
from ._builders import error, tracking_response
from ._command import CommandNotFoundError
from ._responses import *  # noqa: F403
from ._sandbox import Sandbox, SandboxError

__all__ = [
    "CommandNotFoundError",
    "Sandbox",
    "SandboxError",
    "error",
    "tracking_response",
]
__all__ += _responses.__all__
