"""A journal in a database of your own."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from . import _journal_sql as sql
from ._errors import JournalUnavailableError

if TYPE_CHECKING:
    from types import ModuleType

    from ._native import Call

_Result = TypeVar("_Result")

_PARAMETER = re.compile(r":(\w+)")
_MARKS = {
    "named": ":{name}",
    "pyformat": "%({name})s",
    "qmark": "?",
    "format": "%s",
    "numeric": ":{number}",
}

# Marks the files of this library's own journals: "PAYJ".
_APPLICATION_ID = 0x5041594A

_LONGEST_TIMEOUT_MS = 2**31 - 1

# The first one fails in a transaction that has run a query, the second one outside a
# transaction, whatever the connection says of itself.
_BEGIN_POSTGRESQL = (
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE, NOT DEFERRABLE",
    "SAVEPOINT payments_journal",
)
# A statement_timeout would end the wait of COMMIT for a standby, as if that had the entry.
_SETTINGS_POSTGRESQL = """
SELECT set_config('lock_timeout', CAST(:timeout_ms AS TEXT), true),
    set_config('statement_timeout', '0', true),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
"""


class DatabaseJournal:
    """Keeps a :class:`Journal` in SQLite or PostgreSQL, by a driver of the DB-API 2.0.

    Each action opens a connection, runs one transaction on it and closes it, so
    nothing is shared by threads or with a forked child. Locks are waited for until
    the deadline of the call. SQLite's file must not be one of ``file:PATH``.

    Example::

        journal = DatabaseJournal(lambda: psycopg.connect("dbname=shop"))
        journal.create()  # Once.
        client = Client(..., journal=journal)
    """

    def __init__(self, connect: Callable[[], Any], *, driver: ModuleType | None = None) -> None:
        """Open no connection yet.

        Args:
            connect: returns a new connection, or one of a pool whose ``close``
                gives it back. Never a connection that the program itself uses:
                one that is in a transaction is refused.
            driver: the driver's module, if the connection's class is not the
                driver's own.

        """
        self._connect = connect
        self._driver = driver

    def create(self) -> None:
        """Make the table ``payments_journal`` and its indexes.

        Raises:
            JournalUnavailableError: the connection cannot be used.
            Exception: the driver's, for example because there is such a table.

        """

        def act(run: Callable[..., Any]) -> None:
            for statement in filter(str.strip, sql.SCHEMA.split(";")):
                run(statement)

        self._transact(None, act)

    def insert(
        self, entry: dict[str, Any], superseded: list[dict[str, Any]], call: Call, /
    ) -> bool:
        """Insert the entry, and mark the superseded ones; see :class:`Journal`."""

        def act(run: Callable[..., Any]) -> bool:
            for earlier in superseded:
                if run(sql.SUPERSEDE, {**earlier, "superseded_by": entry["id"]}).rowcount != 1:
                    return False
            return bool(run(sql.INSERT, entry).rowcount == 1)

        return self._transact(call, act)

    def update(self, entry: dict[str, Any], call: Call, /) -> bool:
        """Store the state of the entry; see :class:`Journal`."""

        def act(run: Callable[..., Any]) -> bool:
            if run(sql.UPDATE, entry).rowcount != 1:
                return False
            # Another transaction may have changed one of them meanwhile.
            while entry["state"] == "failed" and run(sql.REINSTATE, entry).rowcount > 0:
                pass
            return True

        return self._transact(call, act)

    def find(self, filter: dict[str, Any], call: Call, /) -> dict[str, Any]:
        """Read entries; see :class:`Journal`."""

        def act(run: Callable[..., Any]) -> dict[str, Any]:
            [now] = _rows(run(sql.NOW))
            named = {**filter, "is_open": int(filter["is_open"])}
            return {**now, "entries": _rows(run(sql.FIND, named))}

        return self._transact(call, act)

    def prune(self, scope: str, age_ms: int, call: Call, /) -> int:
        """Delete old entries; see :class:`Journal`."""
        named = {"scope": scope, "age_ms": age_ms}
        return self._transact(call, lambda run: int(run(sql.PRUNE, named).rowcount))

    def _transact(self, call: Call | None, act: Callable[[Callable[..., Any]], _Result]) -> _Result:
        """Run `act` in a transaction, which is rolled back if it returns ``False``."""
        connection = self._connect()
        if _is_in_transaction(connection):
            # It is someone else's, so it stays as it is.
            raise JournalUnavailableError(
                "the connection for the journal is in a transaction already; let `connect` "
                "return a new one, for sqlite3 without autocommit=False"
            )
        with contextlib.closing(connection):
            driver = self._driver or _driver_of(connection)
            is_sqlite = hasattr(driver, "sqlite_version")
            begins_by_itself = not is_sqlite and not getattr(connection, "autocommit", False)
            now = sql.NOW_SQLITE if is_sqlite else sql.NOW_POSTGRESQL
            cursor = connection.cursor()

            def run(statement: str, named: Mapping[str, Any] | None = None) -> Any:
                statement = statement.replace("{now}", now)
                cursor.execute(*_bound(driver.paramstyle, statement, named or {}))
                return cursor

            def end(result: object) -> None:
                word = "rollback" if result is False else "commit"
                if begins_by_itself:
                    getattr(connection, word)()
                else:
                    cursor.execute(word)

            try:
                if is_sqlite:
                    _begin_sqlite(cursor, call)
                else:
                    if not begins_by_itself:
                        cursor.execute("BEGIN")
                    for statement in _BEGIN_POSTGRESQL:
                        cursor.execute(statement)
                    run(_SETTINGS_POSTGRESQL, {"timeout_ms": _timeout_ms(call)})
                result = act(run)
                end(result)
            except BaseException as error:
                # Nobody uses the connection afterwards.
                with contextlib.suppress(Exception):
                    end(False)
                if _is_for_want_of_table(error):
                    raise JournalUnavailableError(
                        "there is no table payments_journal; if there never was one, make it "
                        "with DatabaseJournal.create(), otherwise put it back"
                    ) from error
                raise
        return result


def _begin_sqlite(cursor: Any, call: Call | None) -> None:
    # How long SQLite itself waits, during which the call cannot be cancelled.
    cursor.execute("PRAGMA busy_timeout = 50")
    _execute_unlocked(cursor, "PRAGMA application_id", call)
    [application] = _rows(cursor)
    if application["application_id"] == _APPLICATION_ID:
        raise JournalUnavailableError(
            "this file is a journal of libpayments itself, which no other SQLite library may open: "
            "closing it releases the locks of the other one; set journal to file:PATH"
        )
    # With FULL, a power failure just after a commit may bring back a rollback journal.
    _execute_unlocked(cursor, "PRAGMA synchronous = EXTRA", call)
    _execute_unlocked(cursor, "BEGIN EXCLUSIVE", call)


def _execute_unlocked(cursor: Any, statement: str, call: Call | None) -> None:
    """Execute the statement once no other connection holds the lock."""
    while True:
        try:
            cursor.execute(statement)
            return
        except Exception as error:
            if "locked" not in str(error) or call is None or call.is_ended:
                raise
        time.sleep(0.002)


def _timeout_ms(call: Call | None) -> int:
    remaining = 30.0 if call is None else call.remaining
    return min(max(int(remaining * 1000), 1), _LONGEST_TIMEOUT_MS)


def _driver_of(connection: object) -> ModuleType:
    for kind in type(connection).__mro__:
        name = kind.__module__
        while name:
            module = sys.modules.get(name)
            if module is not None and hasattr(module, "paramstyle"):
                return module
            name = name.rpartition(".")[0]
    kind = type(connection)
    raise JournalUnavailableError(
        f"{kind.__module__}.{kind.__qualname__} is the connection of no driver of the DB-API; name "
        "the driver's module as `driver`, for example driver=psycopg"
    )


def _is_in_transaction(connection: Any) -> bool:
    # libpq's states of a running statement and of a transaction.
    status = getattr(getattr(connection, "info", None), "transaction_status", 0)
    return status in (1, 2, 3) or bool(getattr(connection, "in_transaction", False))


def _is_for_want_of_table(error: BaseException) -> bool:
    # PostgreSQL's code is in one of these, as the driver likes.
    text = f"{getattr(error, 'sqlstate', '')} {getattr(error, 'pgcode', '')} {error}"
    return "42P01" in text or "no such table" in text


def _bound(style: str, statement: str, named: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the statement and its parameters as the driver takes them."""
    names: list[str] = []

    def mark(parameter: re.Match[str]) -> str:
        names.append(parameter[1])
        return _MARKS[style].format(name=parameter[1], number=len(names))

    statement = _PARAMETER.sub(mark, statement)
    if style in ("named", "pyformat"):
        return statement, {name: named[name] for name in names}
    return statement, [named[name] for name in names]


def _rows(cursor: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    return [dict(row if isinstance(row, Mapping) else zip(names, row, strict=True)) for row in rows]
