"""A client that gunicorn's master made and used serves its workers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from processes import assert_connections_belong_to_one_process_each, assert_one_token_was_fetched
from support import Sandbox
from waiting import until

WORKERS = 3


class Gunicorn:
    """The master with its workers, on a port of loopback."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        configuration = folder / "payments.json"
        configuration.write_text(json.dumps(sandbox.configuration()))
        self.log_file = folder / "stderr"
        self.sent = 0
        # A socket that listens already: no other process can take the port, and
        # requests wait until the workers are there.
        with socket.create_server(("127.0.0.1", 0)) as listener, self.log_file.open("w") as log:
            self.port: int = listener.getsockname()[1]
            command = [sys.executable, "-m", "gunicorn", "--preload", "--no-control-socket"]
            command += ["--workers", str(WORKERS), "--bind", f"fd://{listener.fileno()}"]
            command += ["--config", "python:gunicorn_settings", "gunicorn_app:app"]
            self.process = subprocess.Popen(
                command,
                cwd=Path(__file__).parent,
                env={**os.environ, "TEST_PAYMENTS_JSON": str(configuration)},
                pass_fds=[listener.fileno()],
                stderr=log,
                start_new_session=True,
            )

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def stop(self) -> None:
        """End it as a service manager does."""
        self.signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.log()

    def complaints(self) -> list[str]:
        """Return the lines that are not routine."""
        return [line for line in self.log().splitlines() if "] [INFO] " not in line]

    def pay(self, number: int) -> int:
        """Return the worker that made a payment."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", f"/order-{number}")
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        assert response.status == 200, f"{body!r}\n{self.log()}"
        paid = json.loads(body)
        assert paid["status"] == "PE"
        process: int = paid["process"]
        return process

    def pay_by_all(self, excluded: frozenset[int] = frozenset()) -> set[int]:
        """Return the workers that paid, once all except those excluded have."""
        workers: set[int] = set()

        def has_everyone_paid() -> bool:
            numbers = range(self.sent + 1, self.sent + WORKERS + 1)
            self.sent = numbers[-1]
            with ThreadPoolExecutor(WORKERS) as threads:
                workers.update(threads.map(self.pay, numbers))
            return len(workers - excluded) >= WORKERS

        until(has_everyone_paid, f"{WORKERS} workers that pay")
        assert self.process.pid not in workers
        return workers


@contextmanager
def gunicorn(sandbox: Sandbox, folder: Path) -> Iterator[Gunicorn]:
    server = Gunicorn(sandbox, folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()


def payers(sandbox: Sandbox, code: str) -> set[int]:
    """Return the processes of the payments whose code begins like this."""
    codes = [each["merchant_payment_code"] for each in sandbox.get("/sandbox/payments")["payments"]]
    return {int(each.rpartition(" of ")[2]) for each in codes if each.startswith(code)}


def test_workers_serve_with_the_client_of_the_master(sandbox: Sandbox, tmp_path: Path) -> None:
    with gunicorn(sandbox, tmp_path) as server:
        workers = server.pay_by_all()
        server.stop()
    assert len(workers) == WORKERS
    master = server.process.pid
    assert payers(sandbox, "import ") == payers(sandbox, "exit ") == {master}
    assert payers(sandbox, "order-") == workers
    assert_connections_belong_to_one_process_each(sandbox, WORKERS + 1)
    assert_one_token_was_fetched(sandbox)
    assert server.complaints() == []


def test_replaced_workers_serve_too(sandbox: Sandbox, tmp_path: Path) -> None:
    with gunicorn(sandbox, tmp_path) as server:
        first = server.pay_by_all()
        killed = min(first)
        os.kill(killed, signal.SIGKILL)
        until(lambda: bool(payers(sandbox, f"without {killed} ")), "the master pays meanwhile")
        second = server.pay_by_all(frozenset({killed}))
        server.signal(signal.SIGHUP)
        third = server.pay_by_all(frozenset(first | second)) - first - second
        server.stop()
    assert len(first | second) == WORKERS + 1
    assert len(third) == WORKERS
    master = server.process.pid
    assert payers(sandbox, "import ") == payers(sandbox, "without ") == {master}
    assert_connections_belong_to_one_process_each(sandbox, 2 * WORKERS + 2)
    assert_one_token_was_fetched(sandbox)
    [complaint] = server.complaints()
    assert f"Worker (pid:{killed}) was sent SIGKILL" in complaint
