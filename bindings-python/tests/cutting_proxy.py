"""A proxy before a server, whose replies stop after some byte."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Literal

Way = Literal["close", "silence", "garbage"]

# What no message of PostgreSQL begins with.
GARBAGE = b"\xff\x00\xfe<\x01" * 12


class CuttingProxy:
    """Counts what the server replies, on all connections together."""

    def __init__(self, port: int, silence: float) -> None:
        self.server = port
        # How long a peer that says nothing more keeps the connection.
        self.silence = silence
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.lock = threading.Lock()
        self.begin(None, "close")
        threading.Thread(target=self.accept, daemon=True).start()

    def begin(self, at: int | None, way: Way) -> None:
        """Count from here; the connection that replies more than `at` bytes stops there."""
        with self.lock:
            self.passed, self.at, self.way = 0, at, way
            self.has_cut = False

    def accept(self) -> None:
        while True:
            near, _ = self.listener.accept()
            threading.Thread(target=self.join, args=(near,), daemon=True).start()

    def join(self, near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", self.server)) as far:
            asking = threading.Thread(target=pass_on, args=(near, far), daemon=True)
            asking.start()
            with contextlib.suppress(OSError):
                while data := far.recv(65_536):
                    room = self.room(len(data))
                    near.sendall(data[:room])
                    if room < len(data):
                        self.stop(near)
                        break
            shut(near, far)
            asking.join()

    def room(self, length: int) -> int:
        """Give how many of these bytes pass."""
        with self.lock:
            self.passed += length
            if self.at is None or self.has_cut or self.passed <= self.at:
                return length
            self.has_cut = True
            return self.at - (self.passed - length)

    def stop(self, near: socket.socket) -> None:
        if self.way == "garbage":
            near.sendall(GARBAGE)
        if self.way != "close":
            time.sleep(self.silence)


def pass_on(near: socket.socket, far: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := near.recv(65_536):
            far.sendall(data)
    shut(near, far)


def shut(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
