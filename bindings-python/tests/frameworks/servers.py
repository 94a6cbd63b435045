"""Servers of applications, on a port of loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


class Server:
    """A program that serves a socket that is already listening."""

    def __init__(
        self, words: list[str], folder: Path, cwd: Path, environment: Mapping[str, str]
    ) -> None:
        self.log_file = folder / "stderr"
        with socket.create_server(("127.0.0.1", 0)) as listener, self.log_file.open("w") as log:
            self.port: int = listener.getsockname()[1]
            command = [word.replace("FD", str(listener.fileno())) for word in words]
            self.process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=cwd,
                env={**os.environ, **environment},
                pass_fds=[listener.fileno()],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    def ask(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Return its reply: JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data,
            {"Content-Type": "application/json", "Connection": "close"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{error}: {error.read()!r}\n{self.log()}") from error

    def stop(self) -> None:
        """End it as a service manager does."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) in (0, -signal.SIGTERM), self.log()


@contextmanager
def serving(
    words: list[str], folder: Path, cwd: Path, environment: Mapping[str, str]
) -> Iterator[Server]:
    server = Server(words, folder, cwd, environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()
