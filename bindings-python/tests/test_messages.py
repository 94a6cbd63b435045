"""The messages of ``tests/messages/python.txt``, which only this package shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import libpayments
from support import SHARED, Sandbox, payment

FILE = SHARED / "messages" / "python.txt"
#: The head of the file, and its cases.
PARTS = re.split(r"(?m)^(?=== )", FILE.read_text("utf-8"))


def exception_of(code: str, names: dict[str, Any]) -> str:
    """Run a statement, and return its exception."""
    try:
        exec(compile(code, str(FILE), "exec"), names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def output_of(script: str, folder: Path) -> str:
    """Run a script, and return its output."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    run = subprocess.run(
        ["sh", "-c", script],
        check=False,
        capture_output=True,
        cwd=folder,
        text=True,
        env={"PATH": path},
        timeout=120,
    )
    return run.stdout + run.stderr


def transcript_of(case: str, sandbox: Sandbox, folder: Path) -> str:
    sandbox.reset()
    names: dict[str, Any] = {
        "libpayments": libpayments,
        "client": sandbox.client(),
        "configuration": sandbox.configuration(),
        "folder": folder,
        "payment": payment(),
    }
    (folder / "payments.json").write_text(json.dumps(names["configuration"]), "utf-8")
    text = ""
    # The lines of a statement continue with two spaces; known messages are left
    # out.
    for line in re.findall(r"(?m)^(?!! ).*\n(?:  .*\n)*", case):
        text += line
        code = line[2:-1].replace("\n  ", "\n")
        shown = ""
        if line.startswith("service fails "):
            fault = json.loads(line.removeprefix("service fails "))
            sandbox.post("/sandbox/faults", {"path": "/ws/*", "then": [fault]})
        elif line.startswith("$ "):
            shown = exception_of(code, names)
        elif line.startswith("% "):
            shown = output_of(code, folder)
        text += "".join(f"! {it}\n" for it in shown.splitlines())
    port = urlsplit(str(sandbox.configuration()["base_url"])).port
    text = text.replace(f":{port}", ":{service}").replace(str(folder), "{folder}")
    text = re.sub(r"\b[0-9a-f]{32}\b", "{id}", text)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "{time}", text)


@pytest.mark.parametrize("case", PARTS[1:], ids=lambda case: case.partition("\n")[0])
def test_a_message_is_as_listed(case: str, sandbox: Sandbox, tmp_path: Path) -> None:
    transcript = transcript_of(case, sandbox, tmp_path)
    if os.environ.get("UPDATE"):
        FILE.write_text(FILE.read_text("utf-8").replace(case, transcript), "utf-8")
        return
    assert transcript == case
