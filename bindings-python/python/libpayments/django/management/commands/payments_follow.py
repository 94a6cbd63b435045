"""Following open payments."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from libpayments._journal_command import follow, is_terminal, reporting
from libpayments.django import client

_VALUES = {
    "--from": ("FILE", "reads references from a file, one per line"),
    "--state": ("FILE", "remembers what was reported, also after a crash"),
    "--since": ("DURATION", "how far back the journal is read, by default 7d"),
    "--give-up-after": ("DURATION", "the age at which an open payment is given up, by default 7d"),
    "--forget": (
        "DURATION",
        "how long the state file keeps a reported end that no run asks for, by default 90d; "
        "never keeps all",
    ),
    "--per-second": ("N", "the most queries in a second, by default 5"),
}
_FLAGS = {
    "--hash": "the references are payment hashes",
    "--external-reference": "the references are those of payouts",
    "--uid": "the references are the service's ids of payouts",
    "--json": "prints JSON on a terminal too",
}


class Command(BaseCommand):
    """The command ``payments follow``, with the client of the settings."""

    help = (
        "Queries open payments, refunds and payouts, one at a time, until each has ended. Exit "
        "codes: 0 all are paid, refunded or cancelled; 1 a reference is invalid; 3 some are given "
        "up or differ from the journal, or another process follows"
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the arguments of the command."""
        parser.add_argument(
            "references",
            nargs="*",
            metavar="REFERENCE",
            help="payments to follow, by merchant_payment_code; without any, the payments and "
            "refunds of the journal, and its payouts if payout_query is on",
        )
        for name, (metavar, text) in _VALUES.items():
            parser.add_argument(name, metavar=metavar, help=text)
        for name, text in _FLAGS.items():
            parser.add_argument(name, action="store_true", help=text)

    def handle(self, *, references: list[str], **options: Any) -> None:
        """Perform the command, and exit with its code."""
        given = {name: options[name[2:].replace("-", "_")] for name in (*_VALUES, *_FLAGS)}
        values = [f"{name}={given[name]}" for name in _VALUES if given[name] is not None]
        flags = [name for name in _FLAGS if given[name]]
        arguments = [*values, *flags, "--", *references]
        is_for_people = is_terminal() and not given["--json"]
        plan = {"arguments": arguments, "is_terminal": is_for_people}
        sys.exit(reporting(lambda: follow(client(), plan)))
