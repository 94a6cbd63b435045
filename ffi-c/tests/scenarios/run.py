"""Runs every shared scenario through libpayments.so, as a foreign host.

Python's ctypes loads the library and calls what it exports; nothing of Rust is
linked. PAYMENTS_TEST_LIBRARY names the library, PAYMENTS_TEST_COMMAND the
command `payments`, whose sandbox serves. SCENARIO=part_of_a_name runs some.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path

from abi import ROOT, Library
from events import log_in_a_file
from manifest import check_manifest, level_of_c
from scenario import Stage, only
from tree import parse_exactly

# Most of a scenario is waiting for the other side.
AT_ONCE = 4


def load_all() -> list[dict]:
    scenarios = []
    for path in sorted((ROOT / "tests/scenarios").glob("*.json")):
        content = parse_exactly(path.read_text(encoding="utf-8"))
        only(content, {"about", "scenarios"})
        scenarios += content["scenarios"]
    return scenarios


def run_all(library: Library, scenarios: list[dict], log: Path) -> tuple[list[str], list[str]]:
    samples = parse_exactly((ROOT / "tests/samples.json").read_text(encoding="utf-8"))
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    for scenario in scenarios:
        waiting.put(scenario)
    ran, failed = [], []

    def work() -> None:
        stage = Stage(library, os.environ["PAYMENTS_TEST_COMMAND"], samples, log)
        try:
            while True:
                try:
                    scenario = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    found = stage.run(scenario)
                except Exception as error:  # noqa: BLE001: whatever it is, it is a failure
                    found = [f"{type(error).__name__}: {error}"]
                if found:
                    failed.append("\n    ".join([scenario["name"], *found]))
                ran.append(scenario["name"])
        finally:
            stage.close()

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ran, failed


def main() -> int:
    library = Library(os.environ["PAYMENTS_TEST_LIBRARY"])
    manifest = json.loads((ROOT / "tests/manifest.json").read_text(encoding="utf-8"))
    missing = check_manifest(library, manifest)
    scenarios = load_all()
    chosen = os.environ.get("SCENARIO")
    if chosen:
        scenarios = [it for it in scenarios if chosen in it["name"]]
    with log_in_a_file() as log:
        ran, failed = run_all(library, scenarios, log)
    print(f"{len(ran)} scenarios run, {len(failed)} failed")
    for it in sorted(failed) + missing:
        print(it, file=sys.stderr)
    expected = level_of_c(manifest)["scenarios"]
    if not chosen and sorted(ran) != expected:
        print(f"the level of C has {len(expected)} scenarios", file=sys.stderr)
        return 1
    return 1 if failed or missing or not ran else 0


sys.exit(main())
