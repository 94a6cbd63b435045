"""The command ``python -m libpayments explain``."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from libpayments._explain import explanation


def explain(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "libpayments", "explain", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def codes() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(explanation([], False)["stdout"])["codes"]
    return listed


def test_a_code_is_explained() -> None:
    run = explain("rejected/Duplicate_Reference")
    found = json.loads(run.stdout)
    assert (run.returncode, run.stderr, found["code"]) == (0, "", "duplicate_reference")
    assert "unknown" in found["outcome"]
    assert "Query the payment" in found["remedy"]
    assert found["messages"]


def test_an_unknown_code_is_answered_with_the_nearest() -> None:
    run = explain("duplicate_referense")
    report = json.loads(run.stderr)
    assert (run.returncode, run.stdout, report["kind"]) == (2, "", "usage")
    assert "did you mean duplicate_reference" in report["message"]
    assert report["help"] == f"python -m libpayments explain {report['code']}"
    assert explain(report["code"]).returncode == 0
    assert explain("refused", "failed").returncode == 2


def test_every_text_fits_the_screen() -> None:
    texts = explanation([], True)["stdout"]
    assert len(codes()) > 90
    for name in [*(entry["code"] for entry in codes()), "BP-REF-7"]:
        assert name == "BP-REF-7" or f"  {name} " in texts
        shown = explanation([name], True)
        assert (shown["exit_code"], shown["stdout"].find(f"{name} (")) == (0, 0)
        texts += shown["stdout"]
    assert max(map(len, texts.splitlines())) <= 80
