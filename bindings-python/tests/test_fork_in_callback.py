"""A fork within a callback, from which both processes return: the call continues in
the parent only."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from programs import start
from support import KEY_FILE, Sandbox

_FORK = """
import sqlite3
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

point, key_file, journal_file = os.environ["POINT"], os.environ["KEY"], os.environ["JOURNAL"]
forked, ended = [], []

def fork(here):
    # The parent continues when the child has ended.
    if here == point and not forked:
        forked.append(os.fork())
        if forked[0]:
            ended.append(os.waitpid(forked[0], 0)[1])
    elif forked == [0]:
        os.write(2, f"{here} in the child".encode())
        os._exit(3)

class Signer:
    kid = os.environ["KID"]
    key = serialization.load_pem_private_key(open(key_file, "rb").read(), None)
    def sign(self, request):
        fork("sign")
        return self.key.sign(request.input, padding.PKCS1v15(), hashes.SHA256())

class Store:
    entries, fence = {}, 0
    def load(self, key, call):
        fork("load")
        return self.entries.get(key)
    def save(self, key, entry, fence, call):
        self.entries[key] = entry
        fork("save")
        return True
    def delete_if(self, key, token, call):
        return False
    def try_lock(self, key, call):
        self.fence += 1
        fork("try_lock")
        return self.fence
    def unlock(self, key, fence_of_lock):
        fork("unlock")

class Journal(libpayments.DatabaseJournal):
    def insert(self, *arguments):
        inserted = super().insert(*arguments)
        fork("insert")
        return inserted
    def update(self, *arguments):
        updated = super().update(*arguments)
        fork("update")
        return updated

def observe(event):
    fork(event["event"])

def order(code):
    return {**payment, "merchant_payment_code": code}

journal = Journal(lambda: sqlite3.connect(journal_file))
journal.create()
configuration |= {"kid": None, "signer": Signer(), "token_store": Store(), "journal": journal}
client = getattr(libpayments, os.environ["CLIENT"])(**configuration, observer=observe)
"""

_PAY = """
if point == "signal":
    signal.signal(signal.SIGALRM, lambda *_: fork("signal"))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    client.create_payment(payment=order("forked"))
except libpayments.CallCancelledError as error:
    assert forked == [0]
    assert (error.code, error.outcome) == ("call_forked", "unknown"), error
    assert "do not send it again from this process" in str(error)
    os._exit(0)
assert ended == [0], (forked, ended)
client.create_payment(payment=order("after"))
"""

_PAY_IN_ASYNCIO = """
import asyncio
async def pay():
    loop = asyncio.get_running_loop()
    wake = loop.call_soon_threadsafe
    def call_soon_threadsafe(*arguments):
        if forked == [0]:
            os.write(2, b"the child wakes the loop")
        return wake(*arguments)
    loop.call_soon_threadsafe = call_soon_threadsafe
    await client.create_payment(payment=order("forked"))
    assert ended == [0], (forked, ended)
    await client.create_payment(payment=order("after"))
asyncio.run(pay())
"""


def pay_and_fork(
    sandbox: Sandbox, code: str, point: str, client: str, journal: Path
) -> tuple[str, str]:
    """Pay twice, and fork at the point of the first call; give what was printed."""
    environment = {
        "POINT": point,
        "CLIENT": client,
        "KEY": str(KEY_FILE),
        "KID": sandbox.kid,
        "JOURNAL": str(journal),
    }
    program = start(sandbox, _FORK + code, environment, key_file=None)
    try:
        printed, complaint = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 0, f"{printed}{complaint}"
    sent = sandbox.requests("create_payment")
    assert [each["signature"] for each in sent] == ["verified"] * 2
    assert sent[0]["connection"] == sent[1]["connection"]
    assert len(sandbox.requests("access_token")) == 1
    with contextlib.closing(sqlite3.connect(journal)) as connection:
        states = connection.execute("SELECT state FROM payments_journal").fetchall()
    assert states == [("done",)] * 2
    return printed, complaint


_CALLBACKS = ("sign", "load", "try_lock", "save", "unlock", "insert", "update")
_EVENTS = (
    "request_started",
    "token_requested",
    "token_fetched",
    "attempt",
    "attempt_ended",
    "request_ended",
)


@pytest.mark.parametrize("point", [*_CALLBACKS, *_EVENTS, "signal"])
def test_a_call_continues_only_in_the_parent(sandbox: Sandbox, tmp_path: Path, point: str) -> None:
    sandbox.post("/sandbox/settings", {"latency_ms": 400 if point == "signal" else 0})
    printed = pay_and_fork(sandbox, _PAY, point, "Client", tmp_path / "journal.db")
    assert printed == ("", "")


@pytest.mark.parametrize("point", ["sign", "save", "insert", "attempt", "request_ended"])
def test_a_thread_of_asyncio_that_forks_ends_in_the_child(
    sandbox: Sandbox, tmp_path: Path, point: str
) -> None:
    printed, complaint = pay_and_fork(
        sandbox, _PAY_IN_ASYNCIO, point, "AsyncClient", tmp_path / "journal.db"
    )
    assert printed == ""
    # No task of the child waits, so that the error is only shown.
    assert complaint.startswith("libpayments: ")
    assert complaint.count("\n") == 1
    assert "do not send it again from this process" in complaint
    assert "call_forked, unknown" in complaint
