"""The parts of the test kit that the tests of the shop in `examples/` do not show."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import libpayments
from libpayments import testing
from libpayments.testing import CommandNotFoundError, SandboxError
from support import Sandbox, payment, payout


def test_sandbox_ends_with_the_process_that_started_it() -> None:
    program = """
import os
from libpayments.testing import Sandbox
sandbox = Sandbox()
print(sandbox.base_url, flush=True)
os._exit(1)
"""
    started = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=False)
    url = started.stdout.decode().strip()
    # The end of the output is the end of the sandbox, which has inherited nothing else.
    assert url.startswith("http://127.0.0.1:")
    client = libpayments.Client(base_url=url, integration_key="key")
    with pytest.raises(libpayments.ConnectError):
        query_until_it_fails(client)


def query_until_it_fails(client: libpayments.Client) -> None:
    while True:
        with contextlib.suppress(libpayments.RejectedError, libpayments.UnauthorizedError):
            client.query_payment(hash="a")


def test_command_is_found_and_a_missing_one_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = os.environ["PAYMENTS_COMMAND"]
    monkeypatch.delenv("PAYMENTS_COMMAND")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandNotFoundError, match="pip install libpayments-sandbox"):
        testing.Sandbox()
    (tmp_path / "payments").symlink_to(command)
    with testing.Sandbox() as sandbox:
        assert sandbox.client().create_payment(payment=payment()).status == "PE"
        [request] = sandbox.requests("create_payment")
        assert (request["signature"], request["bearer"]) == ("verified", "valid")


def test_a_refusal_of_the_sandbox_is_raised(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="not the name of a fault"):
        sandbox.fail_next("no_such_fault")
    with pytest.raises(SandboxError, match="404"):
        sandbox.pay("no-such-payment")
    with pytest.raises(SandboxError, match="did not start"):
        testing.Sandbox(["--require", "cookie"])


def test_a_reset_shares_neither_token_nor_backoff(sandbox: Sandbox) -> None:
    sandbox.call("POST", "settings", {"require": ["bearer"]})
    sandbox.block_tokens()
    with pytest.raises(libpayments.TokenError):
        sandbox.client(key_file=None, kid=None).create_payment(payment=payment())
    sandbox.reset()
    sandbox.client().create_payment(payment=payment())
    sandbox.revoke_tokens()
    assert sandbox.client().query_payment(merchant_payment_code="order-1").status == "PE"
    assert [entry["merchant_payment_code"] for entry in sandbox.payments()] == ["order-1"]


def test_made_responses_are_like_those_of_the_service(sandbox: Sandbox) -> None:
    client = sandbox.client()
    real = client.create_payment(payment=payment(payment_type_code="pix", country="mx"))
    made = testing.payment_response(
        hash=str(real.hash), qr_code_value=real.qr_code_value, amount_ext=Decimal("250.00")
    )
    for name in ("status", "is_paid", "hash", "merchant_payment_code", "qr_code_value"):
        assert getattr(made, name) == getattr(real, name), name
    assert made["payment"]["amount_ext"] == real["payment"]["amount_ext"]
    assert made["pix"] == {"qr_code_value": made.qr_code_value}
    assert "pix" not in testing.payment_response().json()
    sandbox.pay("order-1")
    assert testing.payment_response("CO").is_paid

    refund = client.refund_payment(hash=str(real.hash))
    made_refund = testing.refund_response(hash=str(real.hash), refund_id=str(refund.refund_id))
    for name in ("refund_id", "refund_status", "payment_status", "hash"):
        assert getattr(made_refund, name) == getattr(refund, name), name
    paid_out = client.create_payout(**payout())
    made_payout = testing.payout_response(uid=str(paid_out.uid))
    assert (made_payout.uid, made_payout.status) == (paid_out.uid, paid_out.status)
    assert made_payout["type"] == paid_out["type"]
    assert sandbox.payouts()[0]["uid"] == paid_out.uid
    tracking = testing.tracking_response("A", "B")
    assert [(each.tracking_code, each.status) for each in tracking.result] == [
        ("A", "CREATED"),
        ("B", "CREATED"),
    ]
    assert (tracking.status, tracking.count_mismatch, tracking.mismatches) == (
        "SUCCESS",
        None,
        None,
    )


def test_made_errors_are_like_those_of_a_client() -> None:
    made = testing.error(libpayments.RejectedError, "rejected", service_code="BP-DR-0")
    assert isinstance(made, libpayments.RejectedError)
    assert (made.kind, made.code, made.service_code) == ("rejected", "rejected", "BP-DR-0")
    assert made.may_have_been_executed
    kept = testing.error(libpayments.TokenError, "token_backoff", outcome="not_executed")
    assert not kept.may_have_been_executed
    assert str(kept) == "token_backoff (not_executed)"
