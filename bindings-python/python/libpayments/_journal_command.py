"""The commands ``python -m libpayments journal`` and ``follow``, for a journal in a database.

The core does the work. This module finds the configuration and the database.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any
from urllib.parse import quote

from . import _error_codes, _native
from ._client import Client
from ._errors import JournalUnavailableError, PaymentsError
from ._interruption import InterruptedBySignalError, Interruption
from ._journal import DatabaseJournal
from ._kinds import ConfigError

_PROGRAM = "python -m libpayments"
_DEFAULT_FILE = "payments.json"
_VARIABLE = "PAYMENTS_JOURNAL_DATABASE"
_SQLITE = "sqlite:///"
_FAILED = 1
_USAGE = 2
_INTERRUPTED = 130

_HELP = f"""\
Works with a journal in PostgreSQL or SQLite, and follows open payments.

Usage: {_PROGRAM} journal [--config FILE] [--database URL] COMMAND
       {_PROGRAM} follow [--config FILE] [--database URL] [REFERENCE...]

Commands:
  create                                         makes the table payments_journal
{{commands}}
Options:
  --config FILE    the configuration, without environment variables; by default
                   {_DEFAULT_FILE}, if there is one, and the variables PAYMENTS_*
  --database URL   where the journal is; better set {_VARIABLE}
                   if it contains a password. postgresql://HOST/NAME, or another
                   connection string of libpq; sqlite:///FILE for a relative path,
                   sqlite:////FILE for an absolute one

Examples:
  export {_VARIABLE}=postgresql://shop@db.internal/shop
  {_PROGRAM} journal create
  {_PROGRAM} journal recover
  {_PROGRAM} journal list --open
  {_PROGRAM} journal resolve payout-17 --executed yes --note 'listed on the platform'
  {_PROGRAM} journal resolve --from decisions.csv
  {_PROGRAM} journal prune --before 2025-01-31 --dry-run
  {_PROGRAM} follow --state follow.state

Exit codes: 0 success, 1 failure, 2 invalid usage or configuration, 3 an entry
stays open after recover. See `{_PROGRAM} follow --help` too.
"""


class _OutputError(Exception):
    """Standard output did not take what the command prints."""


class _RefusedError(Exception):
    """The command cannot work like this. The arguments say why."""


def _refused(kind: str, code: str, message: str) -> _RefusedError:
    return _RefusedError(kind, code, message)


def main(arguments: Sequence[str]) -> int:
    """Run the command, and return its exit code."""
    return reporting(lambda: _run(arguments))


def reporting(run: Callable[[], int]) -> int:
    """Return the exit code of `run`, or report why it failed on standard error."""
    # Standard error has one line of JSON.
    logging.getLogger("libpayments").addHandler(logging.NullHandler())
    try:
        return run()
    except _RefusedError as refused:
        return _failed(_USAGE, *refused.args)
    except JournalUnavailableError as error:
        return _failed(_FAILED, "journal", _error_codes.UNAVAILABLE, str(error))
    except _OutputError as error:
        # Python would try, and fail, to flush it at its end.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return _failed(_FAILED, "io", _error_codes.OUTPUT_FAILED, str(error))
    except PaymentsError as error:
        _print_error(error.report())
        return _USAGE if isinstance(error, ConfigError) else _FAILED
    except InterruptedBySignalError as interrupted:
        return interrupted.end()
    except KeyboardInterrupt:
        return _INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    words, options = _options(arguments)
    if words and words[0] == "follow":
        return _follow_with(options, words[1:])
    if words and words[0] not in ("journal", "help", "-h", "--help"):
        message = f"unknown command {words[0]}; the commands are journal and follow, see --help"
        raise _refused("usage", _error_codes.INVALID_SUBCOMMAND, message)
    if len(words) < 2 or words[1] == "help" or {"-h", "--help"} & set(words):
        write(_help())
        return 0
    database = options["--database"] or os.environ.get(_VARIABLE)
    if not database:
        message = (
            f"no database is named; give --database URL, or set {_VARIABLE}; for a journal "
            "in a file, run `payments journal`"
        )
        raise _refused("usage", _error_codes.MISSING_REQUIRED_ARGUMENT, message)
    if words[1] == "create":
        return create(DatabaseJournal(_connect_to(database, "rwc")), words[2:])
    journal = DatabaseJournal(_connect_to(database, "rw"))
    with _client(options["--config"], journal) as client:
        return perform(client, _PROGRAM, words[1:])


def perform(client: Client, program: str, arguments: Sequence[str]) -> int:
    """Perform a command on the journal of a client, and return its exit code."""
    members = {
        "program": program,
        "arguments": list(arguments),
        "is_terminal": _is_terminal(),
    }
    printed = client._run(_native.Work.journal("journal_command", members), dict, None)
    write(printed["stdout"])
    _complain(printed["stderr"])
    return int(printed["exit_code"])


def write(text: str) -> None:
    """Write to standard output, and flush it: what it took counts as reported."""
    if not text:
        return
    reason = "it is closed"
    # Python has none if it was closed at its start.
    if sys.stdout is not None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            return
    raise _OutputError(f"could not write to standard output ({reason}); redirect it elsewhere")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _follow_with(options: dict[str, str | None], arguments: Sequence[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        with Client(base_url="http://localhost", integration_key="unused") as client:
            return follow(client, arguments)
    database = options["--database"] or os.environ.get(_VARIABLE)
    # Payments that are named need no journal, and the configuration may have one.
    journal = DatabaseJournal(_connect_to(database, "rw")) if database else None
    with _client(options["--config"], journal) as client:
        return follow(client, arguments)


def follow(client: Client, arguments: Sequence[str]) -> int:
    """Follow as the command, with one query at a time, and return its exit code."""

    def run(members: dict[str, Any], cancel: _native.CancelHandle | None = None) -> dict[str, Any]:
        work = _native.Work.journal("follow_command", members)
        printed = client._run(work, dict, None, None, cancel)
        write(printed["stdout"])
        _complain(printed["stderr"])
        return printed

    is_terminal = _is_terminal() and "--json" not in arguments
    with Interruption() as interruption:
        printed = run({"arguments": list(arguments)})
        members = {"follow": printed["follow"], "confirmed": False, "is_terminal": is_terminal}
        while printed["exit_code"] is None and not interruption.number:
            printed = run(members, interruption.cancel)
            members["confirmed"] = True
        if printed["exit_code"] is None:
            printed = run({**members, "interrupted": True})
    exit_code: int | None = printed["exit_code"]
    if exit_code is None:
        raise InterruptedBySignalError(interruption.number)
    return exit_code


def _options(arguments: Sequence[str]) -> tuple[list[str], dict[str, str | None]]:
    """Take the options that say where things are out of the arguments."""
    options: dict[str, str | None] = {"--config": None, "--database": None}
    others: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        name, equals, value = argument.partition("=")
        if name not in options:
            others.append(argument)
            continue
        options[name] = value if equals else next(remaining, "")
        if not options[name]:
            raise _refused("usage", _error_codes.INVALID_VALUE, f"{name} needs a value; see --help")
    return others, options


def _help() -> str:
    members = {"program": _PROGRAM, "arguments": ["--help"]}
    with Client(base_url="http://localhost", integration_key="unused") as client:
        printed = client._run(_native.Work.journal("journal_command", members), dict, None)
    return _HELP.format(commands=textwrap.indent(printed["stdout"], "  "))


def create(journal: DatabaseJournal, others: Sequence[str]) -> int:
    """Make the table of a journal, and return the exit code."""
    unknown = [argument for argument in others if argument != "--json"]
    if unknown:
        message = f"unknown argument {unknown[0]} of create; see --help"
        raise _refused("usage", _error_codes.UNKNOWN_ARGUMENT, message)
    try:
        journal.create()
    except JournalUnavailableError:
        raise
    except Exception as error:
        raise JournalUnavailableError(f"could not make the table: {_text_of(error)}") from error
    if _is_terminal() and not others:
        write("Made the table payments_journal.\n")
    else:
        write(json.dumps({"table": "payments_journal"}) + "\n")
    return 0


def _client(config: str | None, journal: DatabaseJournal | None) -> Client:
    if config is not None:
        # Leftover variables could send the file's credentials elsewhere.
        return Client.from_file(config, journal=journal)
    if os.path.exists(_DEFAULT_FILE):
        return Client.from_file(_DEFAULT_FILE, with_env=True, journal=journal)
    try:
        return Client.from_env(journal=journal)
    except ConfigError as error:
        if (error.code, error.path) != (_error_codes.REQUIRED, "base_url"):
            raise
        message = (
            f"nothing is configured; give --config FILE, put {_DEFAULT_FILE} into this folder, or "
            "set variables such as PAYMENTS_BASE_URL"
        )
        raise _refused("config", _error_codes.REQUIRED, message) from error


def _connect_to(database: str, mode: str) -> Callable[[], Any]:
    """Return a function that connects. `mode` is SQLite's."""
    scheme, separator, _ = database.partition("://")
    if database.startswith(_SQLITE):
        path = os.path.abspath(database.removeprefix(_SQLITE))
        sqlite3 = import_module("sqlite3")
        return _connecting(
            lambda: sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True), sqlite3, path
        )
    if separator and scheme not in ("postgresql", "postgres"):
        message = "--database must be postgresql://HOST/NAME, or sqlite:///FILE; see --help"
        raise _refused("usage", _error_codes.INVALID_VALUE, message)
    driver = _driver_of_postgresql()
    return _connecting(lambda: driver.connect(database), driver, "the database")


def _driver_of_postgresql() -> Any:
    for name in ("psycopg", "psycopg2"):
        with contextlib.suppress(ImportError):
            return import_module(name)
    message = "this Python has no driver of PostgreSQL; run `pip install 'psycopg[binary]'`"
    raise _refused("config", _error_codes.DRIVER_MISSING, message)


def _connecting(connect: Callable[[], Any], driver: Any, name: str) -> Callable[[], Any]:
    def connecting() -> Any:
        try:
            return connect()
        except driver.OperationalError as error:
            message = f"could not connect to {name}: {_text_of(error)}; check --database"
            raise JournalUnavailableError(message) from error
        except driver.Error as error:
            # The driver repeats what it cannot read, which may be a password.
            message = "--database is no connection string of libpq; see --help"
            raise JournalUnavailableError(message) from error

    return connecting


def _text_of(error: Exception) -> str:
    return " ".join(str(error).split())


def _failed(exit_code: int, kind: str, code: str, message: str) -> int:
    report = {
        "kind": kind,
        "code": code,
        "message": message,
        "outcome": "not_executed",
        "help": _native.HELP_BASE + code,
    }
    _print_error(report)
    return exit_code


def _print_error(report: dict[str, Any]) -> None:
    _complain(json.dumps(report, ensure_ascii=False) + "\n")


def _complain(text: str) -> None:
    """Write to standard error, unless it was closed when Python started."""
    if sys.stderr is not None:
        sys.stderr.write(text)
