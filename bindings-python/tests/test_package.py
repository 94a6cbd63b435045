"""The installed package: metadata, types and documentation."""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import inspect
import os
import pydoc
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

import libpayments
from support import KEY_FILE, Sandbox, payment

METADATA = importlib.metadata.metadata("libpayments")
DESCRIPTION = str(METADATA["Description"])
FILES = importlib.metadata.files("libpayments") or []


def test_metadata_is_complete() -> None:
    assert METADATA["Name"] == "libpayments"
    assert METADATA["Version"] == libpayments.__version__
    assert METADATA["Summary"]
    assert METADATA["License-Expression"] == "MIT OR Apache-2.0"
    assert METADATA["Requires-Python"] == ">=3.10"
    assert METADATA["Author"]
    assert METADATA["Keywords"]
    assert METADATA["Description-Content-Type"].startswith("text/markdown")
    assert "pip install libpayments" in DESCRIPTION
    classifiers = METADATA.get_all("Classifier") or []
    assert "Typing :: Typed" in classifiers
    assert METADATA.get_all("Requires-Dist") == ["opentelemetry-api>=1.30 ; extra == 'otel'"]
    names = {Path(str(file)).name for file in FILES}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "py.typed", "_native.pyi"} <= names


def test_one_wheel_is_for_every_python() -> None:
    [native] = [str(file) for file in FILES if str(file).endswith(".so")]
    assert native.endswith("_native.abi3.so")


def test_the_readme_pays_in_ten_lines(sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"```python\n(.*?)```", DESCRIPTION, re.DOTALL)
    assert example is not None
    code = example.group(1)
    assert len(code.splitlines()) <= 10
    own = {
        "https://payments.example": sandbox.base_url,
        "<API_KEY>": sandbox.settings["integration_key"],
        "private_key.pem": str(KEY_FILE),
        "<KEY_ID>": sandbox.kid,
    }
    for placeholder, value in own.items():
        assert placeholder in code
        code = code.replace(placeholder, value)
    exec(code, {})
    assert capsys.readouterr().out.endswith(" PE False\n")
    assert sandbox.requests("create_payment")[0]["signature"] == "verified"


def public_items() -> list[tuple[str, Any]]:
    items: list[tuple[str, Any]] = [("libpayments", libpayments)]
    for name in libpayments.__all__:
        item = getattr(libpayments, name)
        if not (inspect.isclass(item) or inspect.isfunction(item)):
            continue
        items.append((name, item))
        for member, value in vars(item).items() if inspect.isclass(item) else ():
            is_ours = inspect.isfunction(value) or isinstance(value, (property, classmethod))
            if is_ours and not member.startswith("_"):
                items.append((f"{name}.{member}", value))
    return items


def test_every_public_item_is_documented() -> None:
    undocumented = [name for name, item in public_items() if not inspect.getdoc(item)]
    assert undocumented == []
    assert len(public_items()) > 100


def test_everything_public_is_named() -> None:
    # Modules are attributes once they are imported.
    names = {
        name
        for name, value in vars(libpayments).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert names == {name for name in libpayments.__all__ if not name.startswith("_")}


def test_help_reads_well() -> None:
    text = pydoc.plain(pydoc.render_doc(libpayments))
    for part in ("may_have_been_executed", "class Client", "class AsyncClient", "create_payment("):
        assert part in text
    client = pydoc.plain(pydoc.render_doc(libpayments.Client))
    assert "Create a payment in one of a country's methods." in client
    assert "``payment.document``: Payer tax id." in client
    assert "Ctrl-C" in client


def test_importing_loads_neither_asyncio_nor_rare_modules() -> None:
    code = "print([name for name in sys.modules if name in sys.argv[1:]])"
    others = ["asyncio", "json", "logging", "sqlite3", "threading"]
    line = [sys.executable, "-c", f"import sys, libpayments; {code}", *others]
    printed = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    assert printed == "[]\n"


def test_a_call_without_descriptors_says_whether_it_was_executed(sandbox: Sandbox) -> None:
    # Nothing can be imported then.
    program = f"""
import resource
import libpayments
client = libpayments.Client(**{dict(sandbox.configuration())!r})
resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
try:
    client.create_payment(payment={dict(payment())!r})
except libpayments.PaymentsError as error:
    print(error.outcome)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "not_executed\n", "")


@pytest.mark.parametrize("numbers", [[0, 1, 2], [1], [2]])
def test_a_payment_is_intact_with_closed_standard_streams(
    sandbox: Sandbox, tmp_path: Path, numbers: list[int]
) -> None:
    closed = " ".join(f"{number}>&-" for number in numbers)
    program = f"""
import os
import libpayments
written = set()
def write(event):
    for number in {numbers}:
        try:
            written.add(os.write(number, b"a line of a log"))
        except OSError as error:
            written.add(os.strerror(error.errno))
configuration = {dict(sandbox.configuration())!r}
with libpayments.Client(**configuration, token_store="file:tokens", observer=write) as client:
    client.create_payment(payment={dict(payment())!r})
with open("written", "w") as file:
    file.write(repr(written))
"""
    line = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", program]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "written").read_text() == repr({os.strerror(errno.EBADF)})


def annotated_items() -> list[Any]:
    items = [item for name, item in public_items() if name != "libpayments"]
    functions = [getattr(item, "fget", getattr(item, "__func__", item)) for item in items]
    return [*functions, libpayments.Client.__init__, libpayments.PaymentsError.__init__]


@pytest.mark.parametrize("item", annotated_items(), ids=lambda item: item.__qualname__)
def test_annotations_can_be_read_at_run_time(item: Any) -> None:
    assert isinstance(typing.get_type_hints(item, include_extras=True), dict)


def test_type_hints_are_types() -> None:
    for client in (libpayments.Client, libpayments.AsyncClient):
        hints = typing.get_type_hints(client.create_payment)
        assert hints["return"] is libpayments.PaymentResponse
        assert hints["timeout_ms"] == int | None
    assert typing.get_type_hints(libpayments.Client.send)["cancel"] == (
        libpayments.CancelHandle | None
    )
    assert typing.get_type_hints(libpayments.CreatePayment)["payment"] is libpayments.Payment


def test_completions_of_a_shell_are_public() -> None:
    code = "import libpayments; print(*(name for name in dir(libpayments) if name[:2] != '__'))"
    line = [sys.executable, "-c", code]
    printed = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    assert printed.split() == sorted(name for name in libpayments.__all__ if name[:2] != "__")
    # A submodule is public too, once it is imported.
    importlib.import_module("libpayments.testing")
    assert {"__all__", "__version__", "testing"} <= set(dir(libpayments))


def test_asyncio_is_loaded_on_first_use() -> None:
    assert libpayments.AsyncClient is getattr(libpayments, "AsyncClient")  # noqa: B009
    with pytest.raises(AttributeError, match="has no attribute 'Asyncclient'"):
        getattr(libpayments, "Asyncclient")  # noqa: B009
