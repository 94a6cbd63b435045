"""Accepted forms of a request, and values that are refused by their path."""

from __future__ import annotations

import array
import enum
import json
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, cast

import pytest

import libpayments
from support import KEY_FILE, Sandbox, payment, payout


@pytest.fixture
def client() -> libpayments.Client:
    return libpayments.Client(base_url="http://127.0.0.1:1", key_file=KEY_FILE, kid="k")


class Code(str, enum.Enum):
    MEXICO = "mx"

    def __str__(self) -> str:
        return "not this"


class Number(enum.IntEnum):
    SEVEN = 7
    LARGE = 2**70

    def __str__(self) -> str:
        return "not this"


@pytest.mark.parametrize(
    ("amount", "digits"),
    [
        (Decimal("100.10"), "100.10"),
        (Decimal("1E+2"), "100"),
        (Decimal("1.50E+3"), "1500"),
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("12345678901234567890123.45"), "12345678901234567890123.45"),
        # As text it could be one thousand and more.
        (Decimal("1.234"), "1.234"),
        (2**70, str(2**70)),
        (Number.SEVEN, "7"),
        (Number.LARGE, str(2**70)),
    ],
)
def test_amounts_reach_the_wire_digit_by_digit(
    client: libpayments.Client, amount: libpayments.Amount, digits: str
) -> None:
    # A currency that ISO 4217 does not list has any number of digits.
    request = payment(amount_total=amount, currency_code="XTS")
    body = client.prepare("create_payment", payment=request).body
    assert body.endswith(f'"amount_total":{digits}}}}}'.encode())


@pytest.mark.parametrize(
    ("amount", "code", "part"),
    [
        (100.1, "wrong_type", "float"),
        (float("inf"), "wrong_type", "float"),
        (True, "wrong_type", "boolean"),
        (b"1", "wrong_type", "bytes"),
        (None, "wrong_type", "null"),
        (Decimal("NaN"), "amount_invalid", "NaN"),
        (Decimal("sNaN"), "amount_invalid", "NaN"),
        (Decimal("Infinity"), "amount_invalid", "Infinity"),
        (Decimal("1E+999999"), "amount_invalid", "digits"),
        pytest.param(10**5000, "amount_invalid", "digits", id="huge"),
    ],
)
def test_senseless_amounts_are_refused_with_advice(
    client: libpayments.Client, amount: Any, code: str, part: str
) -> None:
    with pytest.raises(libpayments.ValidationError) as caught:
        client.create_payment(payment=payment(amount_total=amount))
    error = caught.value
    assert (error.path, error.code) == ("payment.amount_total", code)
    assert part in error.message
    assert error.operation == "create_payment"
    assert error.outcome is libpayments.Outcome.NOT_EXECUTED


def test_mappings_of_all_kinds_are_requests(client: libpayments.Client) -> None:
    plain = payout()
    expected = client.prepare("create_payout", plain).body
    requests: list[Any] = [
        OrderedDict(plain),
        MappingProxyType(plain),
        UserDict(plain),
        json.dumps(plain),
        json.dumps(plain).encode(),
    ]
    for request in requests:
        assert client.prepare("create_payout", request).body == expected
    assert client.prepare("create_payout", **plain).body == expected


def test_texts_of_enumerations_are_their_values(client: libpayments.Client) -> None:
    body = client.prepare("create_payment", payment=payment(country=Code.MEXICO)).body
    assert b'"country":"mx"' in body


def test_a_hash_alone_is_not_a_request(client: libpayments.Client) -> None:
    with pytest.raises(libpayments.ValidationError, match="pass hash=… or"):
        client.query_payment("59ad5dd18a6d5ba0")


@pytest.mark.parametrize(
    ("request_", "path", "code"),
    [
        ([1], None, "wrong_type"),
        (7, None, "wrong_type"),
        ({7: "a"}, "request", "wrong_type"),
        ({"a": {8: "b"}}, "a", "wrong_type"),
        ({"a": {"x", "y"}}, "a", "wrong_type"),
        ({"a": object()}, "a", "wrong_type"),
        ({"a": "\ud800"}, "a", "json_invalid"),
        ({"\ud800": "a"}, "request", "json_invalid"),
        ("\ud800", "request", "json_invalid"),
    ],
)
def test_values_outside_of_json_are_refused(
    client: libpayments.Client, request_: Any, path: str | None, code: str
) -> None:
    with pytest.raises(libpayments.ValidationError) as caught:
        client.refund_payment(request_)
    assert (caught.value.path, caught.value.code) == (path, code)


def test_a_request_that_holds_itself_is_refused(client: libpayments.Client) -> None:
    request: Any = {}
    request["a"] = [request]
    with pytest.raises(libpayments.ValidationError) as caught:
        client.refund_payment(request)
    assert caught.value.code == "json_too_large"


def test_a_mapping_that_raises_is_refused(client: libpayments.Client) -> None:
    class BrokenMapping(UserDict[str, Any]):
        def __iter__(self) -> Any:
            raise RuntimeError("broken")

    with pytest.raises(libpayments.ValidationError, match="could not be read"):
        client.refund_payment(cast("libpayments.RefundPayment", BrokenMapping()))


class Interrupting:
    """Is read as Ctrl-C arrives."""

    def __iter__(self) -> Any:
        raise KeyboardInterrupt


class InterruptingMapping(Interrupting, UserDict[str, Any]):
    pass


class InterruptingList(Interrupting, list[Any]):
    pass


class InterruptingDecimal(Decimal):
    def adjusted(self) -> int:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    "members",
    [
        {"payment": InterruptingMapping()},
        {"payment": {"name": "Ana", "extra": InterruptingMapping()}},
        {"payment": {"items": InterruptingList()}},
        {"payment": {"amount_total": InterruptingDecimal(1)}},
    ],
)
def test_an_exit_passes_through_a_request(client: libpayments.Client, members: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        client.call("create_payment", members)


def test_a_request_with_keywords_is_refused(client: libpayments.Client) -> None:
    with pytest.raises(TypeError, match="not both"):
        client.call("refund_payment", {"hash": "a"}, amount=1)


@pytest.mark.parametrize(
    "body",
    [
        "text",
        None,
        7,
        [1, 2],
        (1, 2),
        range(2),
        array.array("i", [1, 2]),
        array.array("b", [1, 2]),
        memoryview(b"12").cast("H"),
        memoryview(b"12").cast("c"),
        memoryview(b"1234")[::2],
    ],
)
def test_raw_bodies_are_bytes(client: libpayments.Client, body: Any) -> None:
    for send in (client.send, client.prepare_send):
        with pytest.raises(TypeError, match="the body must be bytes, bytearray or a buffer of b"):
            send("POST", "/ws/transfer", body=body)


class Text(bytes):
    pass


@pytest.mark.parametrize(
    "body",
    [
        b"1234",
        bytearray(b"1234"),
        Text(b"1234"),
        memoryview(b"012345")[1:5],
        array.array("B", b"1234"),
        memoryview(b"1234").cast("B", (2, 2)),
    ],
)
def test_a_raw_body_may_be_any_object_with_bytes(client: libpayments.Client, body: Any) -> None:
    prepared = client.prepare_send("POST", "/ws/transfer", body=body, query={"a": "1"})
    assert (prepared.body, prepared.url) == (b"1234", "http://127.0.0.1:1/ws/transfer?a=1")


@pytest.mark.parametrize("timeout", [0, -1, 1.5, "5", True, False, 2**64])
def test_a_deadline_is_a_whole_number(client: libpayments.Client, timeout: Any) -> None:
    with pytest.raises(libpayments.ValidationError) as caught:
        client.query_payment(hash="a", timeout_ms=timeout)
    error = caught.value
    assert (error.path, error.code, error.operation) == (
        "timeout_ms",
        "wrong_type",
        "query_payment",
    )
    assert error.message == "must be a whole number of milliseconds greater than zero"


def test_a_traceparent_is_a_text(client: libpayments.Client) -> None:
    number: Any = 7
    with pytest.raises(libpayments.ValidationError) as raised:
        client.create_payment(payment=payment(), traceparent=number)
    assert (raised.value.path, raised.value.operation) == ("traceparent", "create_payment")


class _Changing(Mapping[str, object]):
    """Runs code while it is read."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act

    def __getitem__(self, name: str) -> object:
        return name

    def __iter__(self) -> Iterator[str]:
        self._act()
        return iter(["name"])

    def __len__(self) -> int:
        return 1


def test_a_mapping_that_changes_while_it_is_read_is_refused(sandbox: Sandbox) -> None:
    client = sandbox.client()
    outer: dict[str, Any] = {}
    request: Any = {"payment": outer}
    for act in (
        lambda: outer.update(new="1"),
        lambda: (outer.pop("last"), outer.update(other="1")),
        lambda: outer.update(last="2"),
        outer.clear,
    ):
        outer.clear()
        outer.update(payment(payer=_Changing(act)), last="1")
        with pytest.raises(libpayments.ValidationError) as caught:
            client.call("create_payment", request)
        assert caught.value.path == "payment"
        assert "changed while it was read" in str(caught.value)
    assert sandbox.requests("create_payment") == []
