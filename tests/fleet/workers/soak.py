"""The Python process of the soak test; see src/soak/mod.rs for the protocol."""

from __future__ import annotations

import gc
import json
import sys
import threading
from typing import Any

import libpayments

AT_ONCE = 8


def report_of(error: libpayments.PaymentsError) -> str:
    """Return the report for a failed call."""
    if isinstance(error, libpayments.CallCancelledError) and error.response is not None:
        return "responded"
    return error.outcome.value


def perform(client: libpayments.Client, call: dict[str, Any]) -> str:
    """Make a call, cancelling it if requested, and return its report."""
    cancel = libpayments.CancelHandle()
    timer = None
    if call["cancel_ms"] is not None:
        timer = threading.Timer(call["cancel_ms"] / 1000, cancel.cancel)
        timer.start()
    try:
        client.call(call["operation"], json.dumps(call["request"]), cancel=cancel)
    except libpayments.PaymentsError as error:
        return report_of(error)
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
    return "success"


def say(line: str) -> None:
    """Write a line at once, since other threads write too."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def recover(client: libpayments.Client) -> None:
    """Recover the journal, unless another process does."""
    try:
        client.journal.recover()
    except libpayments.JournalError as error:
        if error.code != "already_running":
            raise
    say("recovered")


def serve(client: libpayments.Client, lock: threading.Lock) -> None:
    """Answer input lines until there are no more."""
    while True:
        with lock:
            line = sys.stdin.readline()
        if not line:
            return
        if line == "collect\n":
            gc.collect()
            print("collected", flush=True)
            continue
        if line == "recover\n":
            recover(client)
            continue
        call = json.loads(line)
        response = {"id": call["id"], "report": perform(client, call)}
        say(json.dumps(response))


def main() -> None:
    """Run the protocol on standard input and output."""
    client = libpayments.Client(**json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    lock = threading.Lock()
    threads = [threading.Thread(target=serve, args=(client, lock)) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
