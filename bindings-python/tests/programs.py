"""Runs small programs, as users would, each in a new Python process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from support import Sandbox

_HEAD = """
import json, os, signal, sys, threading, time
import libpayments
from libpayments import payments_error_in

# A shell that starts the tests in the background leaves Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
configuration = json.loads(sys.argv[1])
payment = {
    "name": "Ana López", "email": "ana@example.com", "country": "mx",
    "payment_type_code": "oxxo", "merchant_payment_code": "order-1",
    "currency_code": "MXN", "amount_total": "250.00",
}
"""


def start(
    sandbox: Sandbox, code: str, environment: Mapping[str, str] | None = None, **members: Any
) -> subprocess.Popen[str]:
    """Start a program that finds `payment`, and `configuration` with those members."""
    program = _HEAD + textwrap.dedent(code)
    configuration = json.dumps(sandbox.configuration(**members))
    return subprocess.Popen(
        [sys.executable, "-c", program, configuration],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    sandbox: Sandbox, code: str, environment: Mapping[str, str] | None = None, **members: Any
) -> str:
    """Return the output of a program, which must succeed within a minute."""
    return end(start(sandbox, code, environment, **members))


def run_quietly(sandbox: Sandbox, code: str, **members: Any) -> str:
    """Return the output of a program, which must write nothing to standard error."""
    printed, complaint = _end(start(sandbox, code, **members), 0)
    assert complaint == ""
    return printed


def end(process: subprocess.Popen[str], status: int = 0) -> str:
    """Wait for the end of a program, and return what it printed."""
    return _end(process, status)[0]


def _end(process: subprocess.Popen[str], status: int) -> tuple[str, str]:
    try:
        printed, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == status, f"{process.returncode}: {printed}{complaint}"
    return printed, complaint
