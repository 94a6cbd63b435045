"""Fixtures for pytest.

In ``conftest.py``::

    pytest_plugins = ["libpayments.testing.pytest_plugin"]
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._sandbox import Sandbox


@pytest.fixture(scope="session")
def payments_sandbox_options() -> list[str]:
    """Give the options of ``payments sandbox``; override it to change them."""
    return []


@pytest.fixture(scope="session")
def payments_sandbox_session(payments_sandbox_options: list[str]) -> Iterator[Sandbox]:
    """Give the one sandbox of this run."""
    with Sandbox(payments_sandbox_options) as sandbox:
        yield sandbox


@pytest.fixture
def payments_sandbox(payments_sandbox_session: Sandbox) -> Sandbox:
    """Give the sandbox in its initial state, with a new client id."""
    payments_sandbox_session.reset()
    return payments_sandbox_session
