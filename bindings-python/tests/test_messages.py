"""The messages of ``tests/messages/python.txt``, which only this package shows."""

from __future__ import annotations

import json
import os
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

import libpayments
from support import SHARED, Sandbox

FILE = SHARED / "messages" / "python.txt"
#: The head of the file, and its cases.
PARTS = re.split(r"(?m)^(?=== )", FILE.read_text("utf-8"))


def said_by(code: str, names: dict[str, Any]) -> list[str]:
    """Run a statement, and give the lines of the exception that it raises."""
    try:
        exec(compile(code, str(FILE), "exec"), names)
    except Exception as error:
        name = type(error).__name__
        return [f"! {line}" for line in f"{name}: {error}".splitlines()]
    return []


def transcript_of(case: str, sandbox: Sandbox) -> str:
    sandbox.reset()
    names: dict[str, Any] = {"libpayments": libpayments, "client": sandbox.client()}
    lines = []
    for line in case.splitlines():
        if line.startswith("! "):
            continue
        lines.append(line)
        if line.startswith("service fails "):
            fault = json.loads(line.removeprefix("service fails "))
            sandbox.post("/sandbox/faults", {"path": "/ws/*", "then": [fault]})
        elif line.startswith("$ "):
            lines += said_by(line.removeprefix("$ "), names)
    port = urlsplit(str(sandbox.configuration()["base_url"])).port
    return "".join(f"{line}\n" for line in lines).replace(f":{port}", ":{service}")


@pytest.mark.parametrize("case", PARTS[1:], ids=lambda case: case.partition("\n")[0])
def test_a_message_is_as_listed(case: str, sandbox: Sandbox) -> None:
    if os.environ.get("UPDATE"):
        text = FILE.read_text("utf-8").replace(case, transcript_of(case, sandbox))
        FILE.write_text(text, "utf-8")
        return
    assert transcript_of(case, sandbox) == case
