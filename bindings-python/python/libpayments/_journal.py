"""A journal in your own database."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Literal, TypeVar, cast

from . import _journal_sql as sql
from ._errors import JournalUnavailableError
from ._native import Call
from ._protocols import JournalCounted, JournalFound, JournalUpdated

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

# The first one fails in a transaction that has run a query, the second one outside of a
# transaction, whatever state the connection reports.
_BEGIN_POSTGRESQL = (
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE, NOT DEFERRABLE",
    "SAVEPOINT payments_journal",
)
_UNIQUE_VIOLATION = "23505"
_LATE = "the call ended before COMMIT did, as when a standby is away"
_UNANSWERED = "the call ended before the database answered, as when a transaction keeps a lock"
_NOT_REPLICATED = "the database committed, and its standby may lack the change"
_REMEDIES = {
    "create": "make it with DatabaseJournal.create()",
    "upgrade": "call DatabaseJournal.upgrade(), or run `python -m libpayments journal upgrade`, "
    "which keeps every entry, or run in one transaction: {}",
    "repair": "repair it, and keep its rows",
}


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
            connect: returns a new connection, or a context manager that gives one
                and takes it back, such as ``pool.connection`` of psycopg_pool. Never
                a connection that the program itself uses: one that is in a
                transaction is refused.
            driver: the driver's module, if the connection's class is not the
                driver's own.

        """
        self._connect = connect
        self._driver = driver
        self._is_checked = False

    def create(self) -> None:
        """Make the table ``payments_journal`` and its indexes.

        Raises:
            JournalUnavailableError: the connection cannot be used.
            Exception: the driver's, for example because there is such a table.

        """

        def act(transaction: _Transaction) -> None:
            for statement in filter(str.strip, sql.SCHEMA.split(";")):
                transaction.run(statement)
            # With the search_path of some roles, it is a temporary table.
            transaction.check()

        self._transact(None, act)

    def upgrade(self) -> None:
        """Give a table of an earlier version the format of this one, and keep every entry.

        Raises:
            JournalUnavailableError: there is no table, or the connection cannot be used.
            Exception: the driver's.

        """

        def act(transaction: _Transaction) -> None:
            if transaction.problem()[1] == "upgrade":
                for statement in filter(str.strip, sql.UPGRADE.split(";")):
                    transaction.run(statement)
            transaction.check()

        self._transact(None, act)

    def insert(self, entry: dict[str, Any], call: Call, /) -> bool:
        """Insert the entry; see :class:`Journal`."""
        return self._transact(call, lambda it: it.run(sql.INSERT, entry) == 1)

    def update(self, entry: dict[str, Any], call: Call, /) -> JournalUpdated:
        """Store the state of the entry; see :class:`Journal`."""
        try:
            changed = self._transact(call, lambda it: it.run(sql.UPDATE, entry) == 1)
            return {"changed": changed, "taken_by": None}
        except JournalUnavailableError as error:
            if not _is_unique_violation(error.__cause__):
                raise
        others = self._transact(call, lambda it: it.rows(sql.TAKEN_BY, entry))
        return {"changed": False, "taken_by": others[0]["id"] if others else None}

    def find(self, filter: dict[str, Any], call: Call, /) -> JournalFound:
        """Read entries; see :class:`Journal`."""
        statement = sql.FIND_OPEN if filter["is_open"] else sql.FIND
        if filter.get("ended_from") is not None:
            statement = sql.FIND_ENDED
        if filter["reference"] is not None or filter["hash"] is not None:
            statement = sql.FIND_REFERENCE
        if filter["id"] is not None:
            statement = sql.FIND_ID
        named = {**filter, "after": filter["after"] or ""}

        def act(transaction: _Transaction) -> JournalFound:
            [time] = transaction.rows(sql.NOW)
            return {"now": time["now"], "entries": transaction.rows(statement, named)}

        return self._transact(call, act)

    def count(self, scope: str, before: int, call: Call, /) -> JournalCounted:
        """Count old entries; see :class:`Journal`."""
        named = {"scope": scope, "before": before}
        [counted] = self._transact(call, lambda it: it.rows(sql.COUNT, named))
        return cast("JournalCounted", counted)

    def prune(self, scope: str, before: int, limit: int, call: Call, /) -> int:
        """Delete old entries; see :class:`Journal`."""
        named = {"scope": scope, "before": before, "limit": limit}
        return self._transact(call, lambda it: it.run(sql.PRUNE, named))

    def _transact(self, call: Call | None, act: Callable[[_Transaction], _Result]) -> _Result:
        commit = _Commit()
        try:
            return self._run(call, act, commit)
        except BaseException as error:
            is_told = isinstance(error, JournalUnavailableError)
            if call is None or is_told or not isinstance(error, Exception):
                if commit.may_come is False:
                    # The core learns that nothing was stored, no matter which code raised it.
                    with contextlib.suppress(AttributeError):
                        error.during_commit = False  # type: ignore[attr-defined]
                raise
            message = f"could not use the database: {_meaning_of(error)}"
            if call.is_ended and not _sqlstate_of(error):
                message = _LATE if commit.may_come else _UNANSWERED
            raise JournalUnavailableError(message, during_commit=commit.may_come) from error

    def _run(
        self, call: Call | None, act: Callable[[_Transaction], _Result], commit: _Commit
    ) -> _Result:
        connected = self._connect()
        if _is_in_transaction(connected):
            # The transaction is someone else's, so it is left alone.
            raise JournalUnavailableError(
                "the connection for the journal is in a transaction already; let `connect` "
                "return a new one, for sqlite3 without autocommit=False"
            )
        # A connection of psycopg is a context manager too, but not for one transaction.
        is_connection = hasattr(connected, "cursor")
        with contextlib.closing(connected) if is_connection else connected as connection:
            driver = self._driver or _driver_of(connection)
            with (
                _cut_off(connection, call),
                _own_texts(connection, driver),
                _warnings_of(connection) as warnings,
            ):
                transaction = _Transaction(connection, driver)
                try:
                    transaction.begin(call)
                    if call is not None and not self._is_checked:
                        transaction.check()
                        self._is_checked = True
                    result = act(transaction)
                    warnings.clear()
                    commit.may_come = transaction.may_come_after_commit
                    transaction.end("commit")
                except BaseException:
                    # By now, the table may be missing, or may be another one.
                    self._is_checked = False
                    # Nobody uses the connection afterwards.
                    with contextlib.suppress(Exception):
                        transaction.end("rollback")
                    raise
                if warnings:
                    raise JournalUnavailableError(_NOT_REPLICATED, during_commit=True)
        return result


class _Commit:
    """How far an action has come."""

    # Whether its change may appear after a failure; `None` if nobody knows.
    may_come: bool | None = False


class _Transaction:
    """The only transaction on a connection."""

    def __init__(self, connection: Any, driver: ModuleType) -> None:
        self._connection = connection
        self._paramstyle: str = driver.paramstyle
        self._is_sqlite = hasattr(driver, "sqlite_version")
        self.may_come_after_commit = None if self._is_sqlite else True
        self._dialect = sql.SQLITE if self._is_sqlite else sql.POSTGRESQL
        self._driver_begins = not self._is_sqlite and not getattr(connection, "autocommit", False)
        self._cursor = _cursor_of(connection, driver)
        # Behind a pooler, another program may have named a statement as psycopg would.
        self._options = {"prepare": False} if driver.__name__ == "psycopg" else {}

    def begin(self, call: Call | None) -> None:
        if self._is_sqlite:
            _begin_sqlite(self._cursor, call)
            return
        if not self._driver_begins:
            self._execute("BEGIN")
        for statement in _BEGIN_POSTGRESQL:
            self._execute(statement)
        self.run(sql.SETTINGS_POSTGRESQL, {"lock_timeout": _timeout_ms(call)})

    def check(self) -> None:
        """Refuse a table without the indexes that decide."""
        problem, remedy = self.problem()
        if problem:
            statements = " ".join(self._in_dialect(sql.UPGRADE).split())
            message = f"{problem}; {_REMEDIES[remedy].format(statements)}"
            raise JournalUnavailableError(message)

    def problem(self) -> tuple[str, str]:
        """Return the problem of the table and its remedy, which are empty if it has none."""
        found = self.rows(sql.CHECK_SQLITE if self._is_sqlite else sql.CHECK_POSTGRESQL)
        return (found[0]["problem"], found[0]["remedy"]) if found else ("", "")

    def _in_dialect(self, statement: str) -> str:
        for name, meant in self._dialect.items():
            statement = statement.replace(name, meant)
        return statement

    def run(self, statement: str, named: Mapping[str, Any] | None = None) -> int:
        """Run a statement and return how many rows it changed."""
        statement = self._in_dialect(statement)
        self._execute(*_bound(self._paramstyle, statement, named or {}))
        return int(self._cursor.rowcount)

    def rows(self, statement: str, named: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        self.run(statement, named)
        return _rows(self._cursor)

    def end(self, word: Literal["commit", "rollback"]) -> None:
        if self._driver_begins:
            getattr(self._connection, word)()
        else:
            self._execute(word)

    def _execute(self, *statement: Any) -> None:
        self._cursor.execute(*statement, **self._options)


@contextlib.contextmanager
def _warnings_of(connection: Any) -> Iterator[Any]:
    """Give the warnings of PostgreSQL, such as that a person ended COMMIT's wait for a standby."""
    if not hasattr(connection, "add_notice_handler"):
        # psycopg2 and pg8000 have them.
        yield getattr(connection, "notices", [])
        return
    warnings: list[Any] = []
    add = warnings.append
    connection.add_notice_handler(add)
    try:
        yield warnings
    finally:
        connection.remove_notice_handler(add)


def _cut_off(connection: Any, call: Call | None) -> contextlib.AbstractContextManager[None]:
    """Break the connection when the call ends."""
    if call is None or not hasattr(connection, "fileno"):
        return contextlib.nullcontext()
    # Most programs never need it.
    from ._cut_off import cut_off

    return cut_off(connection, call.remaining)


@contextlib.contextmanager
def _own_texts(connection: Any, driver: ModuleType) -> Iterator[None]:
    """Read and write any text, whatever the program has chosen for the connection."""
    if hasattr(connection, "text_factory"):
        chosen, connection.text_factory = connection.text_factory, str
        try:
            yield
        finally:
            connection.text_factory = chosen
        return
    # The only driver that does not notice what SETTINGS_POSTGRESQL changes.
    if driver.__name__ == "psycopg2" and connection.encoding != "UTF8":
        connection.set_client_encoding("UTF8")
    yield


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


def _is_unique_violation(error: BaseException | None) -> bool:
    return _sqlstate_of(error) == _UNIQUE_VIOLATION or "UNIQUE constraint failed" in str(error)


def _sqlstate_of(error: BaseException | None) -> str:
    first = error.args[0] if error is not None and error.args else None
    # That of psycopg, that of psycopg2, and that of pg8000.
    codes = (
        getattr(error, "sqlstate", None),
        getattr(error, "pgcode", None),
        first.get("C") if isinstance(first, dict) else None,
    )
    return next((code for code in codes if isinstance(code, str)), "")


def _meaning_of(error: Exception) -> str:
    """Return the cause without the text of the driver, which may hold values."""
    name = type(error).__name__
    if type(error).__module__ == "sqlite3":
        # Its texts have the names of tables and columns only.
        return str(error)
    code = _sqlstate_of(error)
    meanings = [sql.FAILURES.get(code[:length], "") for length in (5, 3, 2)]
    if not code and name in ("OperationalError", "InterfaceError", "ConnectionTimeout"):
        # Drivers give no code if they could not connect.
        meanings = [sql.FAILURES["08"]]
    elif not code and "timeout" in name.lower():
        meanings = ["the pool gave no connection in time; make it larger, or use one of its own"]
    meaning = next(filter(None, meanings), "")
    return f"{meaning} ({code or name})" if meaning else code or name


def _cursor_of(connection: Any, driver: ModuleType) -> Any:
    """Open a cursor whose rows are tuples, whatever the connection makes of them."""
    if driver.__name__ == "psycopg2":
        return connection.cursor(cursor_factory=driver.extensions.cursor)
    cursor = connection.cursor()
    if driver.__name__ == "psycopg":
        return driver.Cursor(cursor.connection, row_factory=lambda _: tuple)
    if hasattr(cursor, "row_factory"):
        cursor.row_factory = None
    return cursor


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
    """Return the texts and numbers of the rows: other columns are not the journal's."""
    names = [column[0] for column in cursor.description]
    return [
        {
            name: value
            for name, value in zip(names, row, strict=True)
            if value is None or isinstance(value, (str, int))
        }
        for row in cursor.fetchall()
    ]
