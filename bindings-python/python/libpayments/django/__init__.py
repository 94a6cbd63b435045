"""libpayments in a Django project.

Add ``libpayments.django`` to ``INSTALLED_APPS``, and configure it in the settings::

    LIBPAYMENTS = {
        "FILE": BASE_DIR / "payments.json",  # or "CONFIGURATION": {…}, or the environment
        "JOURNAL": "default",  # an alias of DATABASES
        "OBSERVER": "libpayments.otel.Telemetry",  # the path of a callable or of a class
        "SANDBOX_IN_TESTS": True,  # tests pay in a sandbox of their process
    }

Then use :func:`client` in views, and :func:`async_client` in views that are coroutines::

    from libpayments.django import client

    response = client().create_payment(payment=payment)
"""

from __future__ import annotations

import functools
import ipaddress
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from django.conf import settings
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.utils.module_loading import import_string

from libpayments import AsyncClient, Client, DatabaseJournal, JournalUnavailableError
from libpayments._sqlite import connecting_to_sqlite

if TYPE_CHECKING:
    from libpayments.testing import Sandbox

__all__ = ["async_client", "client", "journal", "sandbox"]

_MEMBERS = ("CONFIGURATION", "FILE", "JOURNAL", "OBSERVER", "SANDBOX_IN_TESTS")
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


@functools.cache
def sandbox() -> Sandbox:
    """Return the sandbox of the tests of this process, which the first call starts."""
    from libpayments.testing import Sandbox

    return Sandbox()


def is_in_tests() -> bool:
    """Return whether a test runner of Django has set up its environment."""
    return hasattr(mail, "outbox")


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
    observer = _observer(members.get("OBSERVER"))
    if is_in_tests() and members.get("SANDBOX_IN_TESTS", False):
        return maker(**sandbox().configuration(), observer=observer)
    callbacks = {"journal": journal(), "observer": observer}
    made = _configured(
        maker, members, {name: value for name, value in callbacks.items() if value is not None}
    )
    if is_in_tests() and not _is_loopback(made.base_url):
        raise ImproperlyConfigured(
            "a test would pay at the configured service; set LIBPAYMENTS['SANDBOX_IN_TESTS'] to "
            "True"
        )
    return made


def _configured(maker: Any, members: Mapping[str, Any], given: dict[str, Any]) -> Any:
    if "FILE" in members:
        return maker.from_file(members["FILE"], **given)
    if "CONFIGURATION" in members:
        return maker(**{**members["CONFIGURATION"], **given})
    return maker.from_env(**given)


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
        "the database of the tests is in memory, which holds no journal; set "
        "LIBPAYMENTS['SANDBOX_IN_TESTS'] to True"
    )


def _connecting_to_file(name: str, mode: str) -> Callable[[], Any]:
    if ":memory:" in name or "mode=memory" in name:
        message = "a journal needs a file, and this database is in memory"
        raise ImproperlyConfigured(f"LIBPAYMENTS['JOURNAL']: {message}")
    path = os.path.splitext(os.path.abspath(name))[0] + ".payments.sqlite3"
    return connecting_to_sqlite(path, mode)
