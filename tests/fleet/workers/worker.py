"""The Python worker; src/crew.rs describes the protocol."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict, dataclass

import libpayments

AT_ONCE = 16
PAUSE = 1.0


@dataclass
class Counts:
    """Counts since the last report."""

    responded: int = 0
    lacked: int = 0
    refused: int = 0
    other: str | None = None


class Worker:
    """Queries a payment until it is stopped."""

    def __init__(self, client: libpayments.Client, payment: str) -> None:
        self.client = client
        self.payment = payment
        self.counts = Counts()
        self.lock = threading.Lock()
        self.is_over = threading.Event()

    def ask_on(self) -> None:
        """Query in a loop with pauses."""
        while not self.is_over.wait(PAUSE):
            try:
                self.client.query_payment(hash=self.payment)
            except libpayments.PaymentsError as error:
                with self.lock:
                    if error.kind == "token" and error.retry_after is not None:
                        self.counts.lacked += 1
                    elif error.kind == "unauthorized":
                        self.counts.refused += 1
                    else:
                        self.counts.other = str(error)
            else:
                with self.lock:
                    self.counts.responded += 1

    def report(self) -> None:
        """Print the counts and reset them."""
        with self.lock:
            counts, self.counts = self.counts, Counts()
        print(json.dumps(asdict(counts)), flush=True)


def main() -> None:
    """Run the protocol on standard input and output."""
    client = libpayments.Client(**json.loads(sys.stdin.readline()))
    worker = Worker(client, sys.stdin.readline().strip())
    print("ready", flush=True)
    sys.stdin.readline()
    threads = [threading.Thread(target=worker.ask_on) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    try:
        while sys.stdin.readline():
            worker.report()
    finally:
        worker.is_over.set()
    for thread in threads:
        thread.join()


main()
