"""Ctrl-C and other signals end a call at once, and the payment is reported."""

from __future__ import annotations

import asyncio
import pickle
import signal
import socket
import threading
import time
from types import FrameType

import pytest

import libpayments
from libpayments import Outcome, payments_error_in
from programs import end, start
from support import Sandbox, payment
from waiting import hang, until_hanging

# Far below the deadline of 30 s. It should take half a second; a busy machine
# may take longer to run anything.
AT_ONCE = 5.0


class Alarm(BaseException):
    """Like `KeyboardInterrupt`, not an `Exception`."""


@pytest.fixture
def alarm_raises() -> object:
    def handler(_: int, __: FrameType | None) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_ctrl_c_ends_a_hanging_payment(sandbox: Sandbox) -> None:
    hang(sandbox)
    program = start(
        sandbox,
        """
        client = libpayments.Client(**configuration)
        try:
            client.create_payment(payment=payment)
        except KeyboardInterrupt as interrupt:
            ended = time.monotonic()
            error = payments_error_in(interrupt)
            assert interrupt.__context__ is error
            print(ended, error.kind, error.outcome, error.reference)
        """,
    )
    until_hanging(sandbox)
    sent = time.monotonic()
    program.send_signal(signal.SIGINT)
    ended, *report = end(program).split()
    print(f"ended after {float(ended) - sent:.3f} s")
    assert report == ["cancelled", "unknown", "order-1"]
    assert float(ended) - sent < AT_ONCE


@pytest.mark.parametrize(
    "patch",
    ["import eventlet; eventlet.monkey_patch()", "import gevent.monkey as m; m.patch_all()"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_ctrl_c_ends_a_payment_with_green_threads(
    sandbox: Sandbox, patch: str, is_first: bool
) -> None:
    hang(sandbox)
    program = start(
        sandbox,
        f"""
        {"pass" if is_first else "libpayments.Client(**configuration)"}
        {patch}
        client = libpayments.Client(**configuration)
        try:
            client.create_payment(payment=payment)
        except KeyboardInterrupt as interrupt:
            error = payments_error_in(interrupt)
            print(error.kind, error.outcome, error.reference)
        """,
    )
    until_hanging(sandbox)
    program.send_signal(signal.SIGINT)
    # At its deadline, it would be a `timeout`.
    assert end(program).split() == ["cancelled", "unknown", "order-1"]


def test_ctrl_c_ends_a_payment_if_a_thread_imported_threading(sandbox: Sandbox) -> None:
    # Up to Python 3.12, `threading` then takes that thread for the main one.
    hang(sandbox)
    code = """
        del sys.modules["threading"]
        import _thread

        imported = _thread.allocate_lock()
        imported.acquire()

        def first():
            __import__("threading")
            imported.release()

        _thread.start_new_thread(first, ())
        imported.acquire()
        client = libpayments.Client(**configuration)
        try:
            client.create_payment(payment=payment)
        except KeyboardInterrupt as interrupt:
            print(payments_error_in(interrupt).kind)
    """
    program = start(sandbox, code)
    until_hanging(sandbox)
    program.send_signal(signal.SIGINT)
    assert end(program) == "cancelled\n"


def test_ctrl_c_ends_a_payment_of_asyncio(sandbox: Sandbox) -> None:
    hang(sandbox)
    program = start(
        sandbox,
        """
        import asyncio
        async def main():
            try:
                await libpayments.AsyncClient(**configuration).create_payment(payment=payment)
            except asyncio.CancelledError as cancelled:
                print(payments_error_in(cancelled).outcome)
                raise
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
        """,
    )
    until_hanging(sandbox)
    program.send_signal(signal.SIGINT)
    assert end(program).split() == ["unknown", "interrupted"]


def test_any_handler_that_raises_ends_a_call(sandbox: Sandbox, alarm_raises: object) -> None:
    hang(sandbox)
    client = sandbox.client()
    client.access_token()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(Alarm) as caught:
        client.create_payment(payment=payment())
    error = payments_error_in(caught.value)
    assert error is not None
    assert (error.kind, error.outcome) == ("cancelled", Outcome.UNKNOWN)


def test_an_exception_that_was_being_handled_stays_in_the_chain(
    sandbox: Sandbox, alarm_raises: object
) -> None:
    hang(sandbox)
    earlier = ValueError("earlier")

    def pay_in_handler() -> None:
        try:
            raise earlier
        except ValueError:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            sandbox.client().create_payment(payment=payment())

    with pytest.raises(Alarm) as caught:
        pay_in_handler()
    error = payments_error_in(caught.value)
    assert error is not None
    assert error.__context__ is earlier


def test_a_handler_that_does_not_raise_ends_nothing(sandbox: Sandbox) -> None:
    sandbox.post("/sandbox/settings", {"latency_ms": 400})
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        response = sandbox.client().create_payment(payment=payment())
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (response.status, seen) == ("PE", [signal.SIGALRM])


def test_a_signal_while_a_signer_runs_ends_the_call(sandbox: Sandbox, alarm_raises: object) -> None:
    def sign(request: libpayments.SigningRequest) -> bytes:
        while not request.call.is_ended:
            time.sleep(0.01)
        return b""

    client = libpayments.Client(**sandbox.configuration(key_file=None), signer=sign)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(Alarm) as caught:
        client.create_payment(payment=payment())
    error = payments_error_in(caught.value)
    assert error is not None
    assert error.outcome is Outcome.NOT_EXECUTED


def test_a_call_of_another_thread_is_not_interrupted(
    sandbox: Sandbox, alarm_raises: object
) -> None:
    sandbox.post("/sandbox/settings", {"latency_ms": 400})
    client = sandbox.client()
    statuses: list[object] = []

    def pay() -> None:
        statuses.append(client.create_payment(payment=payment()).status)

    thread = threading.Thread(target=pay)
    thread.start()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(Alarm):
        time.sleep(AT_ONCE)
    thread.join()
    assert statuses == ["PE"]


def test_a_signal_that_comes_with_the_response_is_raised_with_it(alarm_raises: object) -> None:
    body = b'{"status": "SUCCESS", "payment": {"hash": "a", "status": "CO"}}'
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
    listener = socket.create_server(("127.0.0.1", 0))

    def signal_and_response() -> None:
        connection, _ = listener.accept()
        with connection:
            while b"\r\n\r\n" not in connection.recv(65536):
                pass
            # On this thread, so that the wait of the other one is not interrupted.
            signal.pthread_kill(threading.get_ident(), signal.SIGALRM)
            connection.sendall(head.encode() + body)

    client = libpayments.Client(
        base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", integration_key="k"
    )
    thread = threading.Thread(target=signal_and_response)
    thread.start()
    with listener, pytest.raises(Alarm) as caught:
        client.query_payment(hash="a")
    thread.join()
    error = payments_error_in(caught.value)
    assert isinstance(error, libpayments.CallCancelledError)
    assert error.code == "interrupted_after_response"
    assert error.response.is_paid


class ExitRequest(BaseException):
    """Raised by an observer to end the program; it accepts no attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


def leave_at_the_end(event: libpayments.Event) -> None:
    if event["event"] == "request_ended":
        raise ExitRequest


def test_an_interrupt_that_comes_with_the_response_keeps_it(sandbox: Sandbox) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=leave_at_the_end)
    with pytest.raises(ExitRequest) as caught:
        client.create_payment(payment=payment())
    assert_responded(caught.value)
    asyncio_client = libpayments.AsyncClient(**sandbox.configuration(), observer=leave_at_the_end)
    with pytest.raises(ExitRequest) as caught:
        asyncio.run(asyncio_client.query_payment(merchant_payment_code="order-1"))
    assert_responded(caught.value)


def assert_responded(interrupt: BaseException) -> None:
    error = payments_error_in(interrupt)
    assert isinstance(error, libpayments.CallCancelledError)
    assert (error.code, error.outcome) == ("interrupted_after_response", Outcome.EXECUTED)
    assert (error.reference, error.http_status) == ("order-1", 200)
    assert isinstance(error.response, libpayments.PaymentResponse)
    assert error.response.status == "PE"
    assert error.payment_hash == error.response.hash
    assert pickle.loads(pickle.dumps(error)).response is None


def test_the_response_of_a_custom_request_is_kept(sandbox: Sandbox) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=leave_at_the_end)
    with pytest.raises(ExitRequest) as caught:
        client.send("POST", "/ws/transfer", body=b"{}", reference="transfer-1")
    error = payments_error_in(caught.value)
    assert isinstance(error, libpayments.CallCancelledError)
    assert (error.code, error.reference) == ("interrupted_after_response", "transfer-1")
    assert isinstance(error.response, libpayments.SendResponse)
    assert error.response.json()["echo"]["body_length"] == 2
