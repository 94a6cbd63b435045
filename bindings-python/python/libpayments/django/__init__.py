"""libpayments in a Django project.

Add ``libpayments.django`` to ``INSTALLED_APPS``, and configure it in the settings::

    LIBPAYMENTS = {
        "FILE": BASE_DIR / "payments.json",  # or "CONFIGURATION": {…}, or the environment
        "JOURNAL": "default",  # an alias of DATABASES
        "OBSERVER": "libpayments.otel.Telemetry",  # the path of a callable or of a class
    }

Then use :func:`client` in views, and :func:`async_client` in views that are coroutines::

    from libpayments.django import client

    response = client().create_payment(payment=payment)
"""

from __future__ import annotations

import functools
import os
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NoReturn
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.utils.module_loading import import_string

from libpayments import AsyncClient, Client, DatabaseJournal, JournalUnavailableError

__all__ = ["async_client", "client", "journal"]

_MEMBERS = ("CONFIGURATION", "FILE", "JOURNAL", "OBSERVER")
_OF_LIBPQ = {
    "NAME": "dbname",
    "USER": "user",
    "PASSWORD": "password",
    "HOST": "host",
    "PORT": "port",
}
# OPTIONS as Django itself reads them.
_OF_DJANGO = ("assume_role", "isolation_level", "pool", "server_side_binding")


@functools.cache
def client() -> Client:
    """Return the client of this process, which the first call makes."""
    made: Client = _made_by(Client)
    return made


@functools.cache
def async_client() -> AsyncClient:
    """Return the client for coroutines, which the first call makes."""
    made: AsyncClient = _made_by(AsyncClient)
    return made


def journal(mode: str = "rw") -> DatabaseJournal | None:
    """Return the journal in the project's database, if the settings name one.

    It opens its own connections with the parameters of Django's: an atomic block
    that is rolled back must not take entries with it. SQLite allows one writer at a
    time, so there the journal is a separate file next to the project's. The
    database in memory that `manage.py test` makes has none: calls that need one fail.
    """
    alias = _settings().get("JOURNAL")
    if alias is None:
        return None
    if alias not in connections:
        raise ImproperlyConfigured(f"LIBPAYMENTS['JOURNAL']: DATABASES has no {alias!r}")
    database = connections[alias]
    if database.vendor == "sqlite":
        name = str(database.settings_dict["NAME"])
        is_of_tests = name.startswith(f"file:memorydb_{alias}")
        return DatabaseJournal(_refuse_in_tests if is_of_tests else _connecting_to_file(name, mode))
    if database.vendor == "postgresql":
        return DatabaseJournal(_connecting(database.Database, database.settings_dict))
    message = f"a journal needs PostgreSQL or SQLite, not {database.vendor}"
    raise ImproperlyConfigured(f"LIBPAYMENTS['JOURNAL']: {message}")


def _settings() -> Mapping[str, Any]:
    members: Mapping[str, Any] = getattr(settings, "LIBPAYMENTS", {})
    for name in members:
        if name not in _MEMBERS:
            known = ", ".join(_MEMBERS)
            raise ImproperlyConfigured(f"LIBPAYMENTS[{name!r}]: unknown; known are {known}")
    if "FILE" in members and "CONFIGURATION" in members:
        raise ImproperlyConfigured("LIBPAYMENTS: has both FILE and CONFIGURATION; keep one")
    return members


def _made_by(maker: Any) -> Any:
    members = _settings()
    callbacks = {"journal": journal(), "observer": _observer(members.get("OBSERVER"))}
    given = {name: value for name, value in callbacks.items() if value is not None}
    if "FILE" in members:
        return maker.from_file(members["FILE"], **given)
    if "CONFIGURATION" in members:
        return maker(**{**members["CONFIGURATION"], **given})
    return maker.from_env(**given)


def _observer(path: str | None) -> Any:
    observer = None if path is None else import_string(path)
    return observer() if isinstance(observer, type) else observer


def _connecting(driver: Any, given: Mapping[str, Any]) -> Callable[[], Any]:
    def connect() -> Any:
        options = {
            name: value for name, value in given["OPTIONS"].items() if name not in _OF_DJANGO
        }
        members = {_OF_LIBPQ[name]: given[name] for name in _OF_LIBPQ if given.get(name)}
        return driver.connect(**members, **options)

    return connect


def _refuse_in_tests() -> NoReturn:
    raise JournalUnavailableError(
        "the database of the tests is in memory, which holds no journal; override "
        "LIBPAYMENTS without JOURNAL in this test"
    )


def _connecting_to_file(name: str, mode: str) -> Callable[[], Any]:
    if ":memory:" in name or "mode=memory" in name:
        message = "a journal needs a file, and this database is in memory"
        raise ImproperlyConfigured(f"LIBPAYMENTS['JOURNAL']: {message}")
    path = os.path.splitext(os.path.abspath(name))[0] + ".payments.sqlite3"
    return lambda: sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True)
