"""`python -m libpayments journal`, started as a user would."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

import libpayments
from databases import CASES as JOURNALS
from databases import execute
from libpayments import DatabaseJournal
from support import SHARED, Sandbox, assert_has, payment, payout
from waiting import until

#: Ways to start a command with its standard output full, or left by its reader.
OUTPUTS = {
    "full": ["sh", "-c", 'exec "$0" "$@" >/dev/full'],
    "closed": ["bash", "-c", 'exec > >(true); wait $!; exec "$0" "$@"'],
}
CASES: list[dict[str, Any]] = json.loads((SHARED / "journal_commands.json").read_text())["cases"]


class Shop:
    """A folder with a configuration, and a database."""

    def __init__(self, sandbox: Sandbox, folder: Path, database: str) -> None:
        self.sandbox, self.folder = sandbox, folder
        configuration = json.dumps(sandbox.configuration())
        (folder / "payments.json").write_text(configuration)
        self.variables = {"PAYMENTS_JOURNAL_DATABASE": database}
        self.database = database

    def run(
        self,
        *arguments: str,
        module: str = "libpayments",
        command: str = "journal",
        **options: Any,
    ) -> subprocess.CompletedProcess[str]:
        words = [command] if command else []
        return self.start([sys.executable, "-m", module, *words, *arguments], **options)

    def start(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        own = {name: value for name, value in os.environ.items() if "PAYMENTS" not in name}
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**own, **self.variables},
            text=True,
            timeout=60,
            **{"capture_output": True, **options},
        )

    def refused(self, *arguments: str, exit_code: int = 2) -> dict[str, Any]:
        """Return the error of a command that fails: one line of JSON."""
        ended = self.run(*arguments)
        assert (ended.returncode, ended.stdout) == (exit_code, ""), ended
        [line] = ended.stderr.splitlines()
        error: dict[str, Any] = json.loads(line)
        assert error["outcome"] == "not_executed"
        return error

    def connect(self) -> Any:
        return psycopg.connect(self.database)

    def pay(self, reference: str) -> None:
        with self.sandbox.client(journal=DatabaseJournal(self.connect)) as client:
            client.create_payout(payout(external_reference=reference))

    def create(self, *references: str) -> None:
        with self.sandbox.client() as client:
            for reference in references:
                client.create_payment(payment=payment(merchant_payment_code=reference))

    def interrupted(
        self,
        number: signal.Signals,
        arguments: Sequence[str],
        queries: int,
        under: Sequence[str] = (),
        then: Callable[[], None] = lambda: None,
    ) -> subprocess.CompletedProcess[str]:
        """Follow, and end it by a signal when it has made so many queries."""

        def made() -> int:
            return len(self.sandbox.requests("query_payment"))

        before = made()
        # The program that runs the tests may ignore signals, as nohup does.
        command = ["env", "--default-signal=INT,TERM,HUP", *under]
        command += [sys.executable, "-m", "libpayments", "follow", *arguments]
        follow = subprocess.Popen(
            command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        until(lambda: made() >= before + queries, "the queries")
        follow.send_signal(number)
        then()
        stdout, stderr = follow.communicate(timeout=60)
        return subprocess.CompletedProcess(command, follow.returncode, stdout, stderr)


@pytest.fixture
def shop(sandbox: Sandbox, tmp_path: Path, database: str) -> Shop:
    return Shop(sandbox, tmp_path, database)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_shared_cases_hold(shop: Shop, case: dict[str, Any]) -> None:
    assert shop.run("create").stdout == '{"table":"payments_journal"}\n'
    for step in case["steps"]:
        if "pay" in step:
            shop.pay(step["pay"])
            if "move" in step:
                shop.sandbox.post(f"/sandbox/payouts/{step['pay']}/{step['move']}")
        elif "lose" in step:
            shop.sandbox.fault("close", "create_payout", execute=True)
            with pytest.raises(libpayments.PaymentsError) as lost:
                shop.pay(step["lose"])
            assert lost.value.outcome == "unknown"
        elif "refused" in step:
            with pytest.raises(libpayments.JournalError) as refused:
                shop.pay(step["refused"])
            assert_has(refused.value.report(), step["error"])
        elif "settle" in step:
            past = "UPDATE payments_journal SET settles_at = 0 WHERE reference = "
            execute(shop.connect, f"{past}'{step['settle']}'")
        elif "configure" in step:
            config = json.loads((shop.folder / "payments.json").read_text())
            (shop.folder / "payments.json").write_text(json.dumps(config | step["configure"]))
        elif "file" in step:
            (shop.folder / step["file"]).write_text(step["text"])
        elif "remove" in step:
            (shop.folder / step["remove"]).unlink()
        elif "payment" in step:
            with shop.sandbox.client(journal=DatabaseJournal(shop.connect)) as client:
                client.create_payment(payment=payment(merchant_payment_code=step["payment"]))
            if "move" in step:
                shop.sandbox.post(f"/sandbox/payments/{step['payment']}/{step['move']}")
        elif "follow" in step:
            ended = shop.run(*step["follow"], command="follow")
            assert ended.returncode == step["exit_code"], (step, ended)
            assert_has([json.loads(line) for line in ended.stdout.splitlines()], step["ends"])
            if "stderr" in step:
                assert_has(json.loads(ended.stderr), step["stderr"])
            else:
                assert ended.stderr == "", (step, ended)
        elif "full" in step or "closed" in step:
            output = "full" if "full" in step else "closed"
            command = [sys.executable, "-m", "libpayments", *step[output]]
            ended = shop.start([*OUTPUTS[output], *command])
            assert (ended.returncode, ended.stdout) == (step["exit_code"], ""), (step, ended)
            if "stderr" in step:
                assert_has(json.loads(ended.stderr), step["stderr"])
            else:
                assert ended.stderr == "", (step, ended)
        else:
            words = ["journal", *step["run"]] if "run" in step else step["start"]
            ended = shop.run(*words, command="")
            assert ended.returncode == step["exit_code"], (step, ended)
            if "shows" in step:
                assert all(part in ended.stdout for part in step["shows"]), (step, ended)
                assert ended.stderr == ""
                continue
            for name, printed in (("stdout", ended.stdout), ("stderr", ended.stderr)):
                if name in step:
                    assert_has(json.loads(printed), step[name])
                else:
                    assert printed == "", (step, ended)


def test_standard_streams_may_be_closed(shop: Shop) -> None:
    assert shop.run("create").returncode == 0
    with shop.sandbox.client(journal=DatabaseJournal(shop.connect)) as client:
        client.create_payment(payment=payment(merchant_payment_code="order-1"))
    shop.sandbox.post("/sandbox/payments/order-1/confirm")
    words = ["order-1", "--state", "closed.state"]
    for command in (["follow", *words], ["journal", "list"], ["journal", "create"]):
        closed = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "libpayments"]
        ended = shop.start([*closed, *command])
        assert (ended.returncode, json.loads(ended.stderr)["code"]) == (2, "output_failed")
    assert not (shop.folder / "closed.state").exists()
    # Without standard error, the rest is as always.
    closed = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-m", "libpayments"]
    ended = shop.start([*closed, "follow", *words])
    assert_has(json.loads(ended.stdout), {"end": "confirmed", "repeated": False})
    assert ended.returncode == 0
    ended = shop.start([*closed, "nonsense"])
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "")
    full = ["sh", "-c", 'exec "$@" >/dev/full', "sh", sys.executable, "-m", "libpayments"]
    ended = shop.start([*full, "journal", "--help"])
    assert (ended.returncode, json.loads(ended.stderr)["code"]) == (1, "output_failed")


@pytest.fixture
def cashier(sandbox: Sandbox, tmp_path: Path) -> Shop:
    """Return a shop without a journal."""
    cashier = Shop(sandbox, tmp_path, "")
    cashier.variables = {}
    return cashier


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_follow_quietly_and_keeps_its_marks(
    cashier: Shop, number: signal.Signals
) -> None:
    cashier.create("order-0", "order-1")
    cashier.sandbox.post("/sandbox/payments/order-0/confirm")
    words = ["order-0", "order-1", "--state", "s"]
    ended = cashier.interrupted(number, words, queries=2)
    assert (ended.returncode, ended.stderr) == (-number, "")
    assert_has(json.loads(ended.stdout), {"reference": "order-0", "end": "confirmed"})
    ended = cashier.interrupted(number, words, queries=1)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-number, "", "")


def test_a_signal_after_giving_up_exits_with_3(cashier: Shop) -> None:
    cashier.create("order-0", "order-1")
    words = ["order-0", "--state", "s"]
    assert cashier.run(*words, "--give-up-after", "0s", command="follow").returncode == 3
    ended = cashier.interrupted(signal.SIGTERM, [*words, "order-1"], queries=2)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "")


def test_a_signal_that_is_ignored_stays_so(cashier: Shop) -> None:
    cashier.create("order-0")
    ignore = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"]

    def confirm() -> None:
        cashier.sandbox.post("/sandbox/payments/order-0/confirm")

    ended = cashier.interrupted(signal.SIGHUP, ["order-0"], 1, under=ignore, then=confirm)
    assert (ended.returncode, json.loads(ended.stdout)["end"]) == (0, "confirmed")


def test_a_table_of_the_first_format_is_upgraded(shop: Shop) -> None:
    assert json.loads(shop.run("upgrade").stderr)["code"] == "unavailable"
    assert shop.run("create").returncode == 0
    execute(shop.connect, "DROP TABLE payments_journal", *JOURNALS["format_1"])
    assert "format 1" in json.loads(shop.run("list").stderr)["message"]
    for _ in range(2):
        assert shop.run("upgrade").stdout == '{"table":"payments_journal"}\n'
    assert shop.run("list").returncode == 0


def test_a_journal_is_read_and_settled_without_credentials(shop: Shop) -> None:
    assert shop.run("create").returncode == 0
    shop.pay("payout-1")
    bare: dict[str, Any] = {"base_url": shop.sandbox.base_url, "environment": "sandbox"}
    (shop.folder / "payments.json").write_text(json.dumps(bare))
    for arguments in (["list"], ["show", "payout-1"], ["recover"]):
        ended = shop.run(*arguments)
        assert (ended.returncode, ended.stderr) == (0, ""), arguments
    pruned = shop.run("prune", "--before", "2999-01-31", "--yes")
    assert json.loads(pruned.stdout)["done"] == 1
    with pytest.raises(libpayments.ConfigError) as caught:
        libpayments.Client(**bare)
    assert (caught.value.code, caught.value.path) == ("credential_missing", "key_file")


def test_a_terminal_gets_text(shop: Shop) -> None:
    assert shop.run("create").returncode == 0
    shop.pay("payout-1")
    for arguments, shown in (
        (["list"], "payout-1"),
        (["show", "payout-1"], "body_sha256"),
        (["recover"], "0 recovered, 0 open"),
        (["list", "--json"], '{"entries":[{'),
    ):
        printer, terminal = pty.openpty()
        ended = shop.run(*arguments, capture_output=False, stdout=terminal)
        os.close(terminal)
        text = os.read(printer, 65_536).decode()
        os.close(printer)
        assert ended.returncode == 0
        assert shown in text
        assert ("\n" in text.strip()) == (arguments[0] != "recover" and "--json" not in arguments)


def test_a_terminal_gets_failures_as_text(shop: Shop) -> None:
    for more, start in (([], "error    "), (["--json"], '{"kind":"usage"')):
        printer, terminal = pty.openpty()
        ended = shop.run("show", *more, capture_output=False, stderr=terminal)
        os.close(terminal)
        text = os.read(printer, 65_536).decode()
        os.close(printer)
        assert (ended.returncode, text.startswith(start)) == (2, True), text


def test_next_steps_name_this_command(shop: Shop) -> None:
    assert shop.run("create").returncode == 0
    shop.sandbox.fault("close", "create_payout", execute=True)
    with pytest.raises(libpayments.PaymentsError):
        shop.pay("payout-1")
    printer, terminal = pty.openpty()
    shop.run("list", capture_output=False, stdout=terminal)
    os.close(terminal)
    text = os.read(printer, 65_536).decode()
    os.close(printer)
    assert "`python -m libpayments journal recover`" in text


def test_options_may_be_anywhere_and_override_variables(shop: Shop) -> None:
    other = shop.folder / "other.json"
    (shop.folder / "payments.json").rename(other)
    file = shop.folder / "journal" / "shop.db"
    file.parent.mkdir()
    for database in (f"sqlite:///{file}", "sqlite:///journal/../journal/shop.db"):
        create = shop.run("--database", database, "create")
        assert create.returncode == (0 if database.endswith(str(file)) else 1), create
        entries = shop.run("list", "--config=other.json", f"--database={database}", "--open")
        assert json.loads(entries.stdout)["entries"] == [], entries
    assert file.exists()
    shop.variables["PAYMENTS_JOURNAL_SCOPE"] = ""
    assert shop.run("list", "--config", "other.json", "--database", database).returncode == 0


def test_a_missing_argument_is_named(shop: Shop) -> None:
    shop.variables = {}
    for action in ("list", "create"):
        unnamed = shop.refused(action)
        assert (unnamed["kind"], unnamed["code"]) == ("usage", "invalid_arguments")
        assert "PAYMENTS_JOURNAL_DATABASE" in unnamed["message"]
    for option in ("--database", "--database="):
        assert shop.refused("list", option)["code"] == "invalid_arguments"


def test_a_missing_driver_is_named(shop: Shop) -> None:
    for name in ("psycopg", "psycopg2"):
        (shop.folder / f"{name}.py").write_text("raise ImportError")
    error = shop.refused("list")
    assert (error["kind"], error["code"]) == ("config", "driver_missing")
    assert "pip install 'psycopg[binary]'" in error["message"]


def test_psycopg2_works_too(shop: Shop) -> None:
    (shop.folder / "psycopg.py").write_text("raise ImportError")
    assert shop.run("create").returncode == 0
    assert shop.run("list").returncode == 0
    assert "already exists" in shop.refused("create", exit_code=1)["message"]


@pytest.mark.parametrize("action", ["list", "create"])
@pytest.mark.parametrize(
    ("database", "exit_code", "part"),
    [
        ("postgresql://u:geheim@127.0.0.1:1/shop", 1, "Connection refused"),
        ("host=127.0.0.1 port=1 password=geheim", 1, "Connection refused"),
        ("host=127.0.0.1 geheim", 1, "is no connection string of libpq"),
        ("mysql://u:geheim@127.0.0.1/shop", 2, "must be postgresql://HOST/NAME"),
        ("sqlite:///nowhere/shop.db", 1, "nowhere/shop.db: unable to open database file"),
        ("sqlite://shop.db", 2, "sqlite:///FILE"),
    ],
)
def test_an_unreachable_database_is_named_without_its_password(
    shop: Shop, action: str, database: str, exit_code: int, part: str
) -> None:
    shop.variables = {"PAYMENTS_JOURNAL_DATABASE": database}
    error = shop.refused(action, exit_code=exit_code)
    assert part in error["message"]
    assert "geheim" not in json.dumps(error)


def test_a_missing_file_is_not_created(shop: Shop) -> None:
    file = shop.folder / "shop.db"
    error = shop.refused("--database", f"sqlite:///{file}", "list", exit_code=1)
    assert str(file) in error["message"]
    assert not file.exists()


def test_a_table_is_made_once_and_on_purpose(shop: Shop) -> None:
    assert "there is no table" in shop.refused("list", exit_code=1)["message"]
    assert shop.refused("create", "--force")["code"] == "invalid_arguments"
    assert shop.run("create", "--json").returncode == 0
    assert "already exists" in shop.refused("create", exit_code=1)["message"]
    assert shop.run("list").returncode == 0
