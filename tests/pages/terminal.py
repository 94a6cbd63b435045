"""A terminal with a shell, into which the commands of a page are typed."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

# Reads blocks from one pipe, and says at another when each is done.
LOOP = """while IFS= read -r -d '' -u {commands} block; do eval "$block"; echo >&{done}; done"""
LONGEST = 900  # Seconds, for the slowest build.


class Mistake(Exception):
    """A step that a reader of the page could not take."""


class Terminal:
    """A shell that ends at the first command that fails."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.screen, tty = pty.openpty()
        commands, self.commands = os.pipe()
        self.done, done = os.pipe()
        self.environment = environment
        self.output = ""
        self.seen = 0
        self.block = ""
        self.shell = subprocess.Popen(
            ["bash", "-e", "-c", LOOP.format(commands=commands, done=done)],
            cwd=folder,
            env=environment,
            stdin=tty,
            stdout=tty,
            stderr=tty,
            pass_fds=(commands, done),
            start_new_session=True,
        )
        for end in (tty, commands, done):
            os.close(end)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        while True:
            try:
                data = os.read(self.screen, 65536)
            except OSError:  # The last program has closed it.
                return
            self.output += data.decode(errors="replace")

    def shown(self) -> str:
        """The output since the last block was entered."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", self.output[self.seen :])

    def folder(self) -> Path:
        return Path(f"/proc/{self.shell.pid}/cwd").resolve()

    def enter(self, block: str) -> None:
        self.seen, self.block = len(self.output), block
        os.write(self.commands, block.encode() + b"\0")

    def finish(self) -> None:
        """Wait until the commands of the block have succeeded."""
        ready, _, _ = select.select([self.done], [], [], LONGEST)
        # Of a shell that ended, it can be read too, but has no line.
        if not (ready and os.read(self.done, 1)):
            raise Mistake(f"a command failed:\n{self.shown()}")

    def expect(self, output: str) -> None:
        """Wait until the output has these lines; "…" leaves out others."""
        parts = [re.escape(part.strip()) for part in output.split("…")]
        pattern = re.compile(".*".join(parts), re.DOTALL)
        until = time.monotonic() + LONGEST
        while not pattern.search(self.shown()):
            is_over = self.is_done() and not pattern.search(self.shown())
            if is_over or time.monotonic() > until:
                raise Mistake(f"no {output!r} in:\n{self.shown()}")
            time.sleep(0.1)

    def is_done(self) -> bool:
        """Whether the commands have ended, and all of their output is here."""
        ready, _, _ = select.select([self.done], [], [], 0)
        if ready:
            time.sleep(0.5)  # For the thread that reads.
        return bool(ready)

    def await_server(self, address: str) -> None:
        """Wait until a program of this terminal shows a page there."""
        until = time.monotonic() + LONGEST
        while self.shell.poll() is None and time.monotonic() < until:
            try:
                urllib.request.urlopen(address).close()
                return
            except OSError:
                time.sleep(0.2)
        raise Mistake(f"there is no {address}:\n{self.shown()}")

    def killed(self) -> Terminal:
        """Kill everything that runs in it. Returns another one like it."""
        other = Terminal(self.folder(), self.environment)
        other.block = self.block
        os.killpg(self.shell.pid, signal.SIGKILL)
        self.shell.wait()
        return other

    def close(self) -> None:
        """End everything that runs in it."""
        os.close(self.commands)
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.shell.pid, number)
                self.shell.wait(20)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self.reader.join()
        os.close(self.screen)
        os.close(self.done)
