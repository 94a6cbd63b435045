"""Follows pages as a reader does: in an empty folder beside a checkout, it saves the
files, types the commands, opens the addresses, and pays. ../README.md has the
conventions. Only the packages and release builds are replaced, by what the tests built.

Usage: follow.py TARGET PAGE...    (the folder that cargo builds into, and the pages)
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from standins import Checkout
from terminal import Terminal

REPOSITORY = Path(__file__).resolve().parents[2]
NOTICE = "not published yet"
PAYER = "You are the payer"
FENCE = re.compile(r"^( *)```([a-z]+)(?:,([a-z_]+))?\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
OTHER_TERMINAL = re.compile(r"[Ii]n (?:another|a third) terminal(?:, in `([^`]+)`)?")
FILE = re.compile(r"(Save as|Append to) `([^`]+)`")
ADDRESS = re.compile(r"\b[Oo]pen <(http://[^>]+)>")


class Mistake(Exception):
    """What a reader of the page could not do."""


class Step:
    """A block of a page, with the text since the block before it."""

    def __init__(self, text: str, language: str, mark: str, block: str) -> None:
        self.text, self.language, self.block = text, language, block
        self.is_command = language == "sh"
        self.is_output = language == "text"
        self.file = FILE.search(text)
        self.terminal = OTHER_TERMINAL.search(text)
        self.address = ADDRESS.search(text)
        # rustdoc compiles those of the others.
        self.is_left_out = mark == "excerpt" or (language == "rust" and self.file is None)


def steps_of(page: str) -> list[Step]:
    """The blocks that are to be followed. Others are marked."""
    steps = []
    at = 0
    for found in FENCE.finditer(page):
        indent, language, mark, block = found.groups()
        block = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
        step = Step(page[at : found.start()], language, mark, block)
        at = found.end()
        if step.is_left_out:
            continue
        if not (step.is_command or step.is_output or step.file):
            raise Mistake(f"is it a file, a command, an output or an excerpt?\n{block}")
        steps.append(step)
    if not any(step.is_command for step in steps) or not steps[-1].is_output:
        raise Mistake("it has no commands that lead to an output")
    return steps


class Reader:
    """Follows one page in its folder."""

    def __init__(self, page: Path, folder: Path, environment: dict[str, str]) -> None:
        self.text = page.read_text(encoding="utf-8")
        self.folder, self.environment = folder, environment
        self.terminals: list[Terminal] = []
        self.paid: list[str] = []
        self.is_over = threading.Event()
        self.payer = threading.Thread(target=self.pay)

    def follow(self) -> None:
        steps = steps_of(self.text)
        self.terminals.append(Terminal(self.folder, self.environment))
        self.payer.start()
        try:
            for index, step in enumerate(steps):
                self.take(step, steps[index + 1 :])
        finally:
            self.is_over.set()
            self.payer.join()
            for terminal in self.terminals:
                terminal.close()
        if not self.paid:
            raise Mistake("no payment was paid at the end")

    def take(self, step: Step, following: list[Step]) -> None:
        if step.terminal is not None:
            folder = self.folder / (step.terminal[1] or "")
            self.terminals.append(Terminal(folder, self.environment))
        terminal = self.terminals[-1]
        if step.address is not None:
            buy(step.address[1])
        if step.is_output:
            terminal.expect(step.block)
        elif step.is_command:
            terminal.enter(step.block)
            commands = [later for later in following if later.is_command]
            if commands and commands[0].terminal is not None:
                terminal.expect("http://")  # A server, which runs on.
            elif commands:
                terminal.finish()
        elif step.file is not None:
            file = terminal.folder() / step.file[2]
            if not file.parent.is_dir():
                raise Mistake(f"there is no folder for {step.file[2]}")
            with file.open("a" if step.file[1] == "Append to" else "w", encoding="utf-8") as opened:
                opened.write(step.block)

    def pay(self) -> None:
        """Pay what waits, on the page of each sandbox, if the page says who pays."""
        while PAYER in self.text and not self.is_over.wait(0.2):
            for terminal in self.terminals:
                for control in re.findall(r"control +(http://\S+)", terminal.shown()):
                    for payment in ask("GET", f"{control}payments")["payments"]:
                        if payment["status"] == "PE":
                            code = payment["merchant_payment_code"]
                            ask("POST", f"{control}payments/{code}/confirm")
                            self.paid.append(code)


def buy(address: str) -> None:
    """Do what the page of the shop does when a mug is ordered."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(address) as response:
                assert response.read().lstrip().startswith(b"<!")
            break
        except urllib.error.URLError:
            time.sleep(0.2)
    payer = {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"}
    order = {"items": {"mug": 1, "shirt": 0}, "payer": payer}
    assert ask("PUT", f"{address}orders/0a1b2c3d", order)["picture"].startswith("<svg ")


def ask(method: str, url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def main(target: Path, pages: list[Path]) -> int:
    failed = 0
    for page in pages:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="payments-page-") as folder:
            checkout = Checkout(REPOSITORY, Path(folder), target)
            try:
                Reader(page, checkout.beside, checkout.environment).follow()
                checkout.assert_untouched()
                result = "followed"
            except (Mistake, AssertionError, OSError, subprocess.SubprocessError) as mistake:
                result = f"cannot be followed: {mistake}"
                failed += 1
        print(f"{page}: {result} ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), [Path(page) for page in sys.argv[2:]]))
