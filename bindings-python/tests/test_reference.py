"""The programs of `examples/reference` print the responses that the reference shows.

The README of that folder has the rules.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from levels import MANIFEST
from libpayments.testing import Sandbox
from support import SHARED

PROGRAMS = SHARED.parent / "examples" / "reference"
NAMES = [*(each["name"] for each in MANIFEST["operations"]), "ensure_payment"]


def run(name: str, folder: Path) -> object:
    """Return the output of a program: one JSON value, and nothing else."""
    ended = subprocess.run(
        [sys.executable, PROGRAMS / f"{name}.py"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if "PAYMENTS_" not in name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), f"{name}: {ended.stderr}"
    printed: object = json.loads(ended.stdout)
    return printed


def prepare(name: str, folder: Path) -> None:
    """Make the payment that the program needs, if it does."""
    file = PROGRAMS / f"{name}.before.sh"
    if file.exists():
        command = Path(os.environ["PAYMENTS_COMMAND"])
        path = f"{command.parent}:{os.environ['PATH']}"
        subprocess.run(
            ["sh", "-eu", file], cwd=folder, env={"PATH": path}, capture_output=True, check=True
        )


def test_the_programs_print_their_responses(tmp_path: Path) -> None:
    options = ["--seed", "1", "--config-out", str(tmp_path / "merchant")]
    options += ["--accept-path", "/ws/payout/commit"]
    with Sandbox(options):
        file = tmp_path / "merchant" / "payments.json"
        configuration = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**configuration, "payout_query": True}), encoding="utf-8")
        for name in NAMES:
            prepare(name, tmp_path)
            expected = json.loads((PROGRAMS / f"{name}.json").read_text(encoding="utf-8"))
            assert run(name, tmp_path) == expected, name
