"""A project of Django that pays under gunicorn, its checks, and its journal."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from servers import FOLDER, serving
from support import Sandbox


class Project:
    """The shop, with a configuration and a database."""

    def __init__(self, sandbox: Sandbox, folder: Path, database: dict[str, Any]) -> None:
        self.folder = folder
        (folder / "payments.json").write_text(json.dumps(sandbox.configuration()))
        self.environment = {
            "DJANGO_SETTINGS_MODULE": "django_shop.settings",
            "SHOP_FOLDER": str(folder),
            "SHOP_DATABASE": json.dumps(database),
        }

    def manage(self, *words: str, libpayments: Any = None) -> subprocess.CompletedProcess[str]:
        """Run `manage.py`, which is `django-admin` with the settings."""
        overrides = {} if libpayments is None else {"SHOP_LIBPAYMENTS": json.dumps(libpayments)}
        return subprocess.run(
            [sys.executable, "-m", "django", *words],
            cwd=FOLDER,
            env={**os.environ, **self.environment, **overrides},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def journal(self, *words: str) -> Any:
        done = self.manage("payments_journal", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(params=["sqlite3", "postgresql"])
def project(request: pytest.FixtureRequest, sandbox: Sandbox, tmp_path: Path) -> Project:
    if request.param == "sqlite3":
        database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "db.sqlite3")}
    else:
        server = urlsplit(request.getfixturevalue("database"))
        database = {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": server.path.removeprefix("/"),
            "USER": server.username or "",
            "PASSWORD": server.password or "",
            "HOST": server.hostname or "",
            "PORT": str(server.port or ""),
        }
    return Project(sandbox, tmp_path, database)


def test_it_pays_under_gunicorn_and_a_rollback_keeps_the_journal(
    project: Project, sandbox: Sandbox
) -> None:
    made = project.journal("create")
    assert made == {"table": "payments_journal"}
    words = ["gunicorn", "--workers", "2", "--no-control-socket", "--bind", "fd://FD"]
    words.append("django_shop.urls:application")
    with serving(words, project.folder, FOLDER, project.environment) as server:
        paid = server.ask("/pay/order-1")
        assert paid["status"] == "PE"
        assert paid["observed"][-1] == "request_ended"
        assert "orders" not in paid["tables"]
        assert server.ask("/async/order-2") == {"status": "PE"}
        server.stop()
    entries = project.journal("list", "--json")["entries"]
    states = {entry["reference"]: entry["state"] for entry in entries}
    assert states == {"order-1": "done", "order-2": "done"}
    codes = [each["merchant_payment_code"] for each in sandbox.get("/sandbox/payments")["payments"]]
    assert sorted(codes) == ["order-1", "order-2"]


def test_commands_of_the_journal_have_exit_codes(project: Project) -> None:
    without_table = project.manage("payments_journal", "list")
    assert without_table.returncode == 1
    assert json.loads(without_table.stderr)["kind"] == "journal"
    project.journal("create")
    assert project.journal("list", "--json")["entries"] == []
    mistyped = project.manage("payments_journal", "lst")
    assert (mistyped.returncode, json.loads(mistyped.stderr)["code"]) == (2, "invalid_arguments")
    shown = project.manage("payments_journal", "help")
    assert shown.returncode == 0
    assert "manage.py payments_journal resolve --from decisions.csv" in shown.stdout
    assert "--config" not in shown.stdout


def test_payments_of_the_journal_are_followed(project: Project, sandbox: Sandbox) -> None:
    project.journal("create")
    words = ["gunicorn", "--no-control-socket", "--bind", "fd://FD", "django_shop.urls:application"]
    with serving(words, project.folder, FOLDER, project.environment) as server:
        assert server.ask("/async/order-1") == {"status": "PE"}
        server.stop()
    sandbox.post("/sandbox/payments/order-1/confirm")
    state = f"--state={project.folder / 'follow.state'}"
    done = project.manage("payments_follow", state, "--per-second", "10")
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout)
    assert (end["reference"], end["end"], end["repeated"]) == ("order-1", "confirmed", False)
    assert project.manage("payments_follow", state).stdout == ""
    open_payment = ["payments_follow", "none", "--give-up-after", "0s"]
    assert project.manage(*open_payment).returncode == 3
    for option in ("--since", "--forget"):
        assert project.manage("payments_follow", option, "soon").returncode == 2
    assert project.manage("payments_follow", state, "--forget", "never").returncode == 0
    command = [sys.executable, "-m", "libpayments", "follow", "--help"]
    own = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = set(re.findall("^--[a-z-]+", own, re.MULTILINE))
    # The settings say where things are.
    options -= {"--database", "--config", "--with-env"}
    shown = project.manage("payments_follow", "--help").stdout
    assert "--forget" in options
    assert options <= set(re.findall("--[a-z-]+", shown))
    assert "REFERENCE" in shown


def test_tests_of_a_project_pass_with_the_documented_settings(
    project: Project, sandbox: Sandbox
) -> None:
    done = project.manage("test", "django_shop", "--pattern", "shop_tests.py")
    assert done.returncode == 0, done.stderr
    assert "Ran 4 tests" in done.stderr
    assert sandbox.get("/sandbox/payments")["payments"] == []


@pytest.mark.parametrize("project", ["sqlite3"], indirect=True)
def test_the_file_of_a_journal_is_for_its_user_alone(project: Project) -> None:
    project.journal("create")
    [file] = project.folder.glob("*.payments.sqlite3")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("project", ["sqlite3"], indirect=True)
def test_a_database_in_memory_is_refused_outside_of_tests(project: Project) -> None:
    memory = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    project.environment["SHOP_DATABASE"] = json.dumps(memory)
    done = project.manage("check")
    assert done.returncode == 1
    assert "libpayments.E002" in done.stderr
    assert "this database is in memory" in done.stderr


@pytest.mark.parametrize("project", ["sqlite3"], indirect=True)
def test_checks_name_mistakes_without_network_access(project: Project, sandbox: Sandbox) -> None:
    assert project.manage("check").returncode == 0
    deployed = project.manage("check", "--deploy", "--tag", "libpayments").stderr
    wrong: list[tuple[Any, str, str]] = [
        ({"FILE": str(project.folder / "none.json")}, "libpayments.E001", "none.json"),
        ({"JOURNAL": "other"}, "libpayments.E002", "DATABASES has no 'other'"),
        ({"JURNAL": "default"}, "libpayments.E002", "LIBPAYMENTS['JURNAL']: unknown"),
        ({"CONFIGURATION": {}}, "libpayments.E002", "both FILE and CONFIGURATION"),
        ({"OBSERVER": "django_shop.nothing.here"}, "libpayments.E002", "django_shop.nothing"),
    ]
    for settings, code, text in wrong:
        done = project.manage("check", libpayments=settings)
        assert done.returncode == 1
        assert code in done.stderr
        assert text in done.stderr
    assert "libpayments.W001" not in deployed
    bare = project.manage("check", "--deploy", libpayments={"JOURNAL": None})
    assert "libpayments.W001" in bare.stderr
    assert sandbox.stats()["requests"] == 0
