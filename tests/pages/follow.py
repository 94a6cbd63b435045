"""Follows pages as a reader does: in an empty folder beside a checkout, it saves the
files, types the commands, opens the addresses, and pays. ../README.md has the
conventions. Only the packages and release builds are replaced, by what the tests built.

At the end of a page of a framework, its program is attacked: attacks.py.

Usage: follow.py TARGET PAGE...    (the folder that cargo builds into, and the pages)
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from attacks import JsonShop, Shop, attack
from standins import Checkout
from terminal import Mistake, Terminal

REPOSITORY = Path(__file__).resolve().parents[2]
PAYER = re.compile("[Pp]ay under Payments")
FENCE = re.compile(r"^( *)```([a-z]+)([a-z_,]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
OTHER_TERMINAL = re.compile(
    r"[Ii]n (?:another|a third) terminal(?:, in (?:the folder )?`([^`]+)`)?"
)
FILE = re.compile(r"(Save as|Append to) `([^`]+)`")
ADDRESS = re.compile(r"\b(?:[Oo]pen|at) <?(http://[^>\s,]+)")
FORM = re.compile("click Pay")
ALTERNATIVE = re.compile(r"^\*\*(\w+)\*\*", re.MULTILINE)


class Step:
    """A block of a page, with the text since the block before it."""

    def __init__(self, text: str, language: str, marks: str, block: str) -> None:
        self.text, self.language, self.block = text, language, block
        self.is_command = language == "sh"
        self.is_output = language == "text" and not block.startswith("$ ")
        self.file = FILE.search(text)
        self.terminal = OTHER_TERMINAL.search(text)
        self.address = ADDRESS.search(text)
        self.alternative = ALTERNATIVE.search(text)
        is_transcript = language == "text" and not self.is_output
        # rustdoc compiles other blocks in Rust.
        is_compiled = language == "rust" and self.file is None
        self.is_left_out = "excerpt" in marks or is_transcript or is_compiled


def steps_of(page: str) -> list[Step]:
    """The blocks that are to be followed. Others are marked."""
    steps = []
    at = 0
    for found in FENCE.finditer(page):
        indent, language, marks, block = found.groups()
        block = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
        step = Step(page[at : found.start()], language, marks, block)
        at = found.end()
        if step.is_left_out:
            continue
        if not (step.is_command or step.is_output or step.file):
            raise Mistake(f"is it a file, a command, an output or an excerpt?\n{block}")
        steps.append(step)
    return steps


def paths_of(page: str) -> dict[str, list[Step]]:
    """The ways through a page: one, or one for each language that it names in bold."""
    paths: dict[str, list[Step]] = {}
    before: list[Step] = []
    terminal = None
    for step in steps_of(page):
        if step.alternative is not None:
            # The text before the first is for all.
            terminal = step.terminal = step.terminal or terminal
            paths[step.alternative[1]] = [*before]
        (paths[[*paths][-1]] if paths else before).append(step)
    for path in (paths := paths or {"": before}).values():
        if not (path and path[0].is_command and (path[-1].is_output or path[-1].address)):
            raise Mistake("it has no commands that lead to an output, or to an address")
    return paths


class Reader:
    """Follows one page in its folder."""

    def __init__(self, text: str, folder: Path, environment: dict[str, str]) -> None:
        self.text, self.folder, self.environment = text, folder, environment
        self.terminals: list[Terminal] = []
        self.paid: list[str] = []
        self.shop: Shop | None = None
        self.is_over = threading.Event()
        self.payer = threading.Thread(target=self.pay)

    def follow(self, steps: list[Step]) -> None:
        checkout = re.search("In the checkout", steps[0].text) and "libpayments"
        self.terminals.append(Terminal(self.folder / (checkout or ""), self.environment))
        self.payer.start()
        try:
            for index, step in enumerate(steps):
                self.take(step, steps[index + 1 :])
            if self.shop is not None:
                self.is_over.set()
                self.payer.join()
                attack(self.shop)
        finally:
            self.is_over.set()
            self.payer.join()
            for terminal in self.terminals:
                terminal.close()
        if not self.paid:
            raise Mistake("no payment was paid at the end")
        pictures = [file.read_text() for file in self.folder.glob("*/code.svg")]
        if not all(text.startswith("<svg ") for text in pictures):
            raise Mistake("the picture of a code is none")

    def take(self, step: Step, following: list[Step]) -> None:
        if step.terminal is not None:
            folder = self.folder / (step.terminal[1] or "")
            self.terminals.append(Terminal(folder, self.environment))
        terminal = self.terminals[-1]
        if step.is_command:
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
        if step.address is not None:
            terminal.await_server(step.address[1])
            kind = Shop if FORM.search(step.text) else JsonShop
            shop = kind(step.address[1], self.controls()[0], self.terminals)
            shop.click(shop.first)
            if step.is_output:
                self.shop = shop
            else:
                shop.await_delivery(shop.first)
        if step.is_output:
            terminal.expect(step.block)

    def pay(self) -> None:
        """Pay the pending payments of each sandbox, if the page names a payer."""
        while PAYER.search(self.text) and not self.is_over.wait(0.2):
            with contextlib.suppress(OSError):  # The programs say if it has ended.
                for control in self.controls():
                    self.pay_at(control)

    def controls(self) -> list[str]:
        """The addresses of the sandboxes that the terminals show."""
        found = (re.findall(r"control +(http://\S+)", it.shown()) for it in self.terminals)
        return [control for each in found for control in each]

    def pay_at(self, control: str) -> None:
        for payment in ask("GET", f"{control}payments")["payments"]:
            if payment["status"] == "PE":
                code = payment["merchant_payment_code"]
                ask("POST", f"{control}payments/{code}/confirm")
                self.paid.append(code)


def ask(method: str, url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def main(target: Path, pages: list[Path]) -> int:
    failed = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        try:
            paths = paths_of(text)
        except Mistake as mistake:
            paths = {}
            print(f"{page}: {mistake}")
            failed += 1
        for name, steps in paths.items():
            began = time.monotonic()
            result = follow(text, steps, target)
            failed += result is not None
            seconds = f"({time.monotonic() - began:.0f} s)"
            print(f"{page} {name}: {result or 'followed'} {seconds}", flush=True)
    return 1 if failed else 0


def follow(text: str, steps: list[Step], target: Path) -> str | None:
    """Follow a way through a page. Returns the mistakes."""
    with tempfile.TemporaryDirectory(prefix="payments-page-") as folder:
        checkout = Checkout(REPOSITORY, Path(folder), target)
        try:
            Reader(text, checkout.beside, checkout.environment).follow(steps)
            checkout.assert_untouched()
        except (Mistake, OSError, subprocess.SubprocessError) as mistake:
            return f"cannot be followed: {mistake}"
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), [Path(page) for page in sys.argv[2:]]))
