"""A response within the limits takes a bounded part of the memory."""

from __future__ import annotations

import pytest

import libpayments
import programs
from support import Sandbox, payment

MOST_MIB = 64

PROGRAM = """
def status(member):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(member))

client = libpayments.Client(**configuration)
before = status("VmRSS")
if operation == "register_tracking":
    response = client.register_tracking(order_number="1", email="a@b.c", tracking_code=["A1"])
    assert len(response.result) > 1000
elif operation == "send":
    response = client.send("POST", "/ws/direct", body=b"{}")
else:
    response = client.create_payment(payment=payment)
tree = response.json()
assert tree["status"] == "SUCCESS"
print((status("VmHWM") - before) // 1024)
"""


@pytest.mark.parametrize(
    ("of", "operation"),
    [
        ("numbers", "create_payment"),
        ("numbers", "send"),
        ("names", "create_payment"),
        ("nesting", "create_payment"),
        ("text", "create_payment"),
        ("escapes", "create_payment"),
        ("results", "register_tracking"),
    ],
)
def test_no_response_takes_more_than_64_mib(sandbox: Sandbox, of: str, operation: str) -> None:
    sandbox.fault("large", operation="create_payment" if operation == "send" else operation, of=of)
    growth = programs.run(sandbox, f"operation = {operation!r}\n" + PROGRAM)
    assert int(growth) <= MOST_MIB


@pytest.mark.parametrize("operation", ["create_payment", "send"])
def test_more_values_than_accepted_are_not_read(sandbox: Sandbox, operation: str) -> None:
    client = sandbox.client(max_response_values=1000)
    sandbox.fault("large", of="numbers")
    if operation == "send":
        response = client.send("POST", "/ws/direct", body=b"{}")
        with pytest.raises(ValueError, match="more values"):
            response.json()
        return
    with pytest.raises(libpayments.TooLargeError) as failed:
        client.create_payment(payment=payment())
    assert failed.value.may_have_been_executed
