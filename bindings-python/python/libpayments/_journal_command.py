"""The commands ``python -m libpayments journal``, ``follow`` and ``explain``.

The core reads the arguments and does the work. This module opens the database.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import stat
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from . import _native
from ._client import Client
from ._errors import JournalUnavailableError, PaymentsError
from ._help import EXPLAIN
from ._interruption import InterruptedBySignalError, Interruption
from ._journal import DatabaseJournal

_PROGRAM = "python -m libpayments"
_DATABASE = "postgresql://shop@db.internal/shop"
_SQLITE = "sqlite:///"
_INTERRUPTED = 130

# The actions on the table, in words.
TABLE = {"create": "make", "upgrade": "upgrade"}


class _ProblemError(Exception):
    """A failure of this module. The arguments are those of the core."""


class _ReaderLeftError(_ProblemError):
    """The reader of standard output, such as ``head``, has closed it."""


def main(arguments: Sequence[str]) -> int:
    """Run the command, and return its exit code."""
    return reporting(lambda: _run(arguments))


def reporting(run: Callable[[], int]) -> int:
    """Return the exit code of `run`, or report why it failed on standard error."""
    # Standard error has the failure only.
    logging.getLogger("libpayments").addHandler(logging.NullHandler())
    failed: dict[str, Any]
    try:
        return run()
    except _ProblemError as problem:
        failed = dict(zip(("problem", "message"), problem.args, strict=True))
        if failed["problem"] == "output":
            _abandon_output()
    except JournalUnavailableError as error:
        failed = {"problem": "journal", "message": str(error)}
    except PaymentsError as error:
        failed = {"report": error.report()}
    except InterruptedBySignalError as interrupted:
        return interrupted.end()
    except KeyboardInterrupt:
        return _INTERRUPTED
    return output(_native.command_failure({**failed, "explain": EXPLAIN}))


def _run(arguments: Sequence[str]) -> int:
    plan = plan_of(_PROGRAM, arguments, _DATABASE)
    if plan["exit_code"] is not None:
        return output(plan)
    if plan["action"] in TABLE:
        mode = "rwc" if plan["action"] == "create" else "rw"
        return change_table(DatabaseJournal(_connect_to(plan["database"], mode)), plan)
    database = plan["database"]
    journal = DatabaseJournal(_connect_to(database, "rw")) if database is not None else None
    with _client(plan, journal) as client:
        return follow(client, plan) if plan["action"] == "follow" else perform(client, plan)


def plan_of(program: str, arguments: Sequence[str], database: str | None) -> dict[str, Any]:
    """Return the plan for the command. Without a database, a framework has the client."""
    given = {
        "program": program,
        "arguments": list(arguments),
        "database": database,
        "is_terminal": is_terminal(),
        "explain": EXPLAIN,
    }
    plan: dict[str, Any] = _native.command_plan(given)
    return plan


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def change_table(journal: DatabaseJournal, plan: dict[str, Any]) -> int:
    """Make or upgrade the table of a journal, and return the exit code."""
    action = plan["action"]
    try:
        journal.create() if action == "create" else journal.upgrade()
    except JournalUnavailableError:
        raise
    except Exception as error:
        message = f"could not {TABLE[action]} the table: {_text_of(error)}"
        raise JournalUnavailableError(message) from error
    write(plan["stdout"])
    return 0


def perform(client: Client, plan: dict[str, Any]) -> int:
    """Perform a command on the journal of a client, and return its exit code."""
    members = {name: plan[name] for name in ("program", "arguments", "is_terminal")}
    members["explain"] = EXPLAIN
    return output(client._run(_native.Work.journal("journal_command", members), dict, None))


def output(printed: dict[str, Any]) -> int:
    """Print the core's output, and return its exit code."""
    try:
        write(printed["stdout"])
    except _ReaderLeftError:
        # A list can be printed again.
        if not printed.get("is_list"):
            raise
        _abandon_output()
    _complain(printed)
    return int(printed["exit_code"])


def _abandon_output() -> None:
    """Keep Python from flushing standard output at its end, which would fail again."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def write(text: str) -> None:
    """Write to standard output, and flush it: the text then counts as reported."""
    if not text:
        return
    reason = "it is closed"
    # Python has none if it was closed at its start.
    if sys.stdout is not None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ReaderLeftError("output", error.strerror or "") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            return
    raise _ProblemError("output", reason)


def write_lasting(text: str) -> None:
    """Write to standard output. If that is a file, the text is on the disk afterwards."""
    write(text)
    if not text:
        return
    try:
        number = sys.stdout.fileno()
        if stat.S_ISREG(os.fstat(number).st_mode):
            os.fsync(number)
    except io.UnsupportedOperation:
        # It is an object of a test or a framework.
        return
    except OSError as error:
        raise _ProblemError("output", error.strerror or type(error).__name__) from error


def follow(client: Client, plan: dict[str, Any]) -> int:
    """Follow as the command, with one query at a time, and return its exit code."""

    def run(members: dict[str, Any], cancel: _native.CancelHandle | None = None) -> dict[str, Any]:
        work = _native.Work.journal("follow_command", members)
        printed = client._run(work, dict, None, None, cancel)
        write_lasting(printed["stdout"])
        _complain(printed)
        return printed

    with Interruption() as interruption:
        printed = run({"arguments": plan["arguments"], "explain": EXPLAIN})
        members = {"follow": printed["follow"], "confirmed": False}
        members.update(is_terminal=plan["is_terminal"], explain=EXPLAIN)
        while printed["exit_code"] is None and not interruption.number:
            printed = run(members, interruption.cancel)
            members["confirmed"] = True
        if printed["exit_code"] is None:
            printed = run({**members, "interrupted": True})
    exit_code: int | None = printed["exit_code"]
    if exit_code is None:
        raise InterruptedBySignalError(interruption.number)
    return exit_code


def _client(plan: dict[str, Any], journal: DatabaseJournal | None) -> Client:
    if plan["file"] is None:
        return Client.from_env(journal=journal)
    return Client.from_file(plan["file"], with_env=plan["with_env"], journal=journal)


def _connect_to(database: str, mode: str) -> Callable[[], Any]:
    """Return a function that connects. `mode` is SQLite's."""
    scheme, separator, _ = database.partition("://")
    if database.startswith(_SQLITE):
        path = os.path.abspath(database.removeprefix(_SQLITE))
        connect = import_module("libpayments._sqlite").connecting_to_sqlite(path, mode)
        return _connecting(connect, import_module("sqlite3"), path)
    if separator and scheme not in ("postgresql", "postgres"):
        message = (
            "the database must be postgresql://HOST/NAME, another connection string of libpq, "
            "sqlite:///FILE for a relative path, or sqlite:////FILE for an absolute one"
        )
        raise _ProblemError("database", message)
    driver = _driver_of_postgresql()
    return _connecting(lambda: driver.connect(database), driver, "the database")


def _driver_of_postgresql() -> Any:
    for name in ("psycopg", "psycopg2"):
        with contextlib.suppress(ImportError):
            return import_module(name)
    message = "this Python has no driver of PostgreSQL; run `pip install 'psycopg[binary]'`"
    raise _ProblemError("driver", message)


def _connecting(connect: Callable[[], Any], driver: Any, name: str) -> Callable[[], Any]:
    def connecting() -> Any:
        try:
            return connect()
        except driver.OperationalError as error:
            message = f"could not connect to {name}: {_text_of(error)}; check --database"
            raise JournalUnavailableError(message) from error
        except driver.Error as error:
            # The driver quotes text that it cannot read, which may be a
            # password.
            message = "--database is no connection string of libpq; see --help"
            raise JournalUnavailableError(message) from error

    return connecting


def _text_of(error: Exception) -> str:
    return " ".join(str(error).split())


def _complain(printed: dict[str, Any]) -> None:
    """Write to standard error, unless it was closed when Python started."""
    if sys.stderr is None:
        return
    is_for_people = sys.stderr.isatty() and "--json" not in sys.argv
    text = printed.get("stderr_text") if is_for_people else None
    sys.stderr.write(printed["stderr"] if text is None else text)
