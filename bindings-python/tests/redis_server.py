"""Redis servers for tests: each on its own port, stopped with the test."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waiting import until

# Ends the server when its input ends, which it does when the test ends,
# however that happens.
_KEEPER = 'redis-server "$@" >/dev/null 2>&1 & cat >/dev/null; kill -9 $!; wait $!'


class RedisServer:
    """An empty server without a password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        arguments = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", ""]
        self.keeper = subprocess.Popen(
            ["sh", "-c", _KEEPER, "sh", *arguments, "--dir", str(folder)], stdin=subprocess.PIPE
        )
        until(self._responds, "a redis-server that responds; scripts/setup.sh installs it")

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def _responds(self) -> bool:
        try:
            return self.cli("PING") == "PONG"
        except subprocess.CalledProcessError:
            return False

    def cli(self, *arguments: str) -> str:
        """Return the output of `redis-cli` with these arguments."""
        command = ["redis-cli", "-e", "-h", "127.0.0.1", "-p", str(self.port), *arguments]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return printed.strip()

    def dump(self) -> bytes:
        """Return everything the server would write to its disk."""
        self.cli("CONFIG", "SET", "rdbcompression", "no")
        assert self.cli("SAVE") == "OK"
        return (self.folder / "dump.rdb").read_bytes()

    def stop(self) -> None:
        self.keeper.communicate()


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    server = RedisServer(folder)
    try:
        yield server
    finally:
        server.stop()
