"""Accepted forms of a request, and values that are refused by their path."""

from __future__ import annotations

import array
import enum
import json
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
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
        (100, "100"),
        (2**70, str(2**70)),
        (Number.SEVEN, "7"),
        (Number.LARGE, str(2**70)),
        ("100.10", "100.10"),
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
        (Decimal("NaN"), "amount_not_decimal", "NaN"),
        (Decimal("sNaN"), "amount_not_decimal", "NaN"),
        (Decimal("Infinity"), "amount_not_decimal", "Infinity"),
        (Decimal("1E+999999"), "amount_too_long", "digits"),
        (Decimal("-1"), "amount_negative", "negative"),
        (Decimal(0), "amount_zero", "greater than zero"),
        pytest.param(10**5000, "amount_too_long", "digits", id="huge"),
        ("1e2", "amount_exponent", "exponent"),
        ("1,50", "amount_comma", "comma"),
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


@pytest.mark.parametrize(
    ("amount", "currency", "advice"),
    [
        ("150.000", "CLP", "write 150000, since"),
        (f"{12990:,}".replace(",", "."), "COP", "write 12990, or 12.99 if"),
        ("1.500", "BRL", "write 1500, or 1.50 if"),
        ("1.234", "XTS", "write 1234, or 1.2340 if"),
    ],
)
def test_an_ambiguous_text_is_refused_and_its_decimal_is_sent(
    client: libpayments.Client, amount: str, currency: str, advice: str
) -> None:
    def body_with(amount: libpayments.Amount) -> bytes:
        request = payment(amount_total=amount, currency_code=currency)
        return client.prepare("create_payment", payment=request).body

    with pytest.raises(libpayments.ValidationError, match=advice) as caught:
        body_with(amount)
    assert (caught.value.path, caught.value.code) == ("payment.amount_total", "amount_ambiguous")
    assert body_with(Decimal(amount)).endswith(f'"amount_total":{amount}}}}}'.encode())


def test_the_unit_price_of_an_item_is_a_whole_number(client: libpayments.Client) -> None:
    def register(unit_price: Any) -> None:
        items = [{"name": "Book", "unit_price": unit_price}]
        code: Any = {"tracking_code": "A", "items": items}
        client.register_tracking(order_number="o", email="m@example.com", tracking_code=[code])

    for price in (10.5, Decimal("10.5")):
        with pytest.raises(libpayments.ValidationError, match="must be a whole number") as caught:
            register(price)
        assert caught.value.path == "tracking_code[0].items[0].unit_price"


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


def test_extra_members_follow_in_order(client: libpayments.Client) -> None:
    extra = {"z": [None, True, {"y": Decimal("1.50")}], "a": "é"}
    body = client.prepare("create_payment", extra=extra, payment=payment()).body
    assert body.endswith('"z":[null,true,{"y":1.50}],"a":"é"}'.encode())


@pytest.mark.parametrize("member", ["amount_total", "amout", "Amount", "refund_amount"])
def test_a_misspelled_keyword_refunds_nothing(client: libpayments.Client, member: str) -> None:
    members: Any = {"hash": "a", member: "10.00"}
    for refund in (client.refund_payment, partial(client.call, "refund_payment")):
        with pytest.raises(libpayments.ValidationError, match="did you mean `amount`") as caught:
            refund(**members)
        assert (caught.value.path, caught.value.code) == (member, "member_unknown")


def test_an_amount_of_none_refunds_nothing(client: libpayments.Client) -> None:
    nothing: Any = None
    with pytest.raises(libpayments.ValidationError, match="null") as caught:
        client.refund_payment(hash="a", amount=nothing)
    assert caught.value.path == "amount"
    body = client.prepare("refund_payment", hash="a", description=None, extra=None).body
    assert body == b'{"hash":"a"}'


def test_a_hash_alone_is_not_a_request(client: libpayments.Client) -> None:
    with pytest.raises(libpayments.ValidationError, match="pass hash=… or"):
        client.query_payment("59ad5dd18a6d5ba0")


def test_json_text_is_handed_over_as_it_is(client: libpayments.Client) -> None:
    text = '{"hash": "a", "amount": 10.10}'
    assert client.prepare("refund_payment", text).body == b'{"hash":"a","amount":10.10}'
    with pytest.raises(libpayments.ValidationError, match="duplicate member"):
        client.refund_payment('{"amount": 1, "amount": 2}')


@pytest.mark.parametrize(
    ("request_", "path", "code"),
    [
        ([1], None, "wrong_type"),
        (7, None, "wrong_type"),
        ({7: "a"}, "request", "wrong_type"),
        ({"a": {8: "b"}}, "a", "wrong_type"),
        ({"a": {"x", "y"}}, "a", "wrong_type"),
        ({"a": object()}, "a", "wrong_type"),
        ({"a": "\ud800"}, "a", "json_unicode"),
        ({"\ud800": "a"}, "request", "json_unicode"),
        ("\ud800", "request", "json_unicode"),
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
    assert caught.value.code == "json_too_deep"


def test_a_mapping_that_raises_is_refused(client: libpayments.Client) -> None:
    class Broken(UserDict[str, Any]):
        def __iter__(self) -> Any:
            raise RuntimeError("broken")

    with pytest.raises(libpayments.ValidationError, match="could not be read"):
        client.refund_payment(cast("libpayments.RefundPayment", Broken()))


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
    assert client.prepare_send("POST", "/ws/transfer", body=body).body == b"1234"


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


def test_raw_bytes_are_signed_and_sent_unchanged(sandbox: Sandbox) -> None:
    body = bytearray(b'{ "amount" : 10.00 }\n')
    query = [("a", "1"), ("a", "2")]
    client = sandbox.client()
    response = client.send("POST", "/ws/transfer", body=memoryview(body), query=query)
    assert response.json()["echo"]["query"] == "a=1&a=2"
    [seen] = sandbox.requests("send")
    assert (seen["signature"], seen["body_length"]) == ("verified", len(body))


def test_a_traceparent_is_a_header_and_changes_nothing_else(client: libpayments.Client) -> None:
    traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    plain = client.prepare("create_payment", payment=payment())
    traced = client.prepare("create_payment", payment=payment(), traceparent=traceparent)
    assert traced.body == plain.body
    assert traced.headers == [*plain.headers, ("traceparent", traceparent)]


@pytest.mark.parametrize("traceparent", ["", "00-x\r\ny: z", 7])
def test_another_traceparent_is_refused(client: libpayments.Client, traceparent: Any) -> None:
    with pytest.raises(libpayments.ValidationError) as raised:
        client.create_payment(payment=payment(), traceparent=traceparent)
    error = raised.value
    assert (error.path, error.operation) == ("traceparent", "create_payment")
    assert error.outcome == "not_executed"
    assert "y: z" not in str(error)


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
