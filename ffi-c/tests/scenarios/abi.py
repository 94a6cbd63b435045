"""libpayments.so as a foreign host sees it: its exported functions and nothing
else, declared from the committed declarations."""

from __future__ import annotations

import contextlib
import ctypes
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[3]
DECLARATIONS = ROOT / "bindings-php/src/payments_ffi.h"

_INTEGERS = {
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "payments_status": ctypes.c_int32,
    "payments_outcome": ctypes.c_int32,
}


def _type_of(declared: str):
    declared = " ".join(declared.replace("const ", "").split())
    if declared in ("void", ""):
        return None
    if declared in _INTEGERS:
        return _INTEGERS[declared]
    if declared == "char *":
        return ctypes.c_char_p
    if declared in ("size_t *", "int64_t *", "int32_t *"):
        return ctypes.POINTER(_INTEGERS[declared[:-2]])
    if declared.endswith("**"):
        return ctypes.POINTER(ctypes.c_void_p)
    if declared.endswith("*") or declared.endswith("_fn"):
        return ctypes.c_void_p
    raise ValueError(f"unknown type: {declared}")


def prototypes() -> dict[str, tuple[str, list[str]]]:
    """Result and parameter types of every function, by name."""
    text = DECLARATIONS.read_text()
    found = {}
    for result, name, parameters in re.findall(
        r"^([a-z][\w ]*?[ *]+)(payments_\w+)\(([^()]*)\);", text, re.MULTILINE
    ):
        types = []
        for parameter in parameters.split(","):
            parameter = " ".join(parameter.split())
            types.append(re.sub(r"\w+$", "", parameter) if parameter != "void" else "")
        found[name] = (result, types)
    return found


class Library:
    """The functions of a library, by their names without `payments_`."""

    def __init__(self, path: str):
        library = ctypes.CDLL(path)
        self.names = set()
        # The functions of a response without further arguments, and their results.
        self.members = {}
        for name, (result, parameters) in prototypes().items():
            function = getattr(library, name)
            function.restype = _type_of(result)
            # A text with a length is read by it, and may hold NUL.
            if "size_t *" in parameters or name == "payments_text_data":
                function.restype = ctypes.c_void_p
            function.argtypes = [kind for it in parameters if (kind := _type_of(it)) is not None]
            setattr(self, name.removeprefix("payments_"), function)
            self.names.add(name)
            if parameters == ["const struct payments_response *"]:
                member = name.removeprefix("payments_response_")
                self.members[member] = function, result.strip()

    def bytes_of(self, read, handle) -> bytes:
        """The result of a function that has `length_out`."""
        length = ctypes.c_size_t()
        data = read(handle, ctypes.byref(length))
        return ctypes.string_at(data, length.value) if data else b""

    def text_of(self, handle: ctypes.c_void_p) -> str:
        """The text of a handle, which is freed."""
        text = ctypes.string_at(self.text_data(handle), self.text_length(handle))
        self.text_free(handle)
        return text.decode()


class Refusal(Exception):
    """A payments_error, read by its functions."""

    def __init__(self, library: Library, status: int, error: ctypes.c_void_p):
        read = {
            name: getattr(library, f"error_{name}")(error)
            for name in (
                "code message text advice path operation reference http_status service_code"
                " service_message payment_hash retry_after_ms diagnosis_cause diagnosis_finding"
                " diagnosis_message journal_entry attempts help json status outcome"
            ).split()
        }
        read = {n: v.decode() if isinstance(v, bytes) else v for n, v in read.items()}
        self.kind = library.status_name(status).decode()
        self.text = read["text"]
        self.report = json.loads(read["json"])
        library.error_free(error)
        super().__init__(self.text)
        self._compare(read, status)

    def _compare(self, read: dict, status: int) -> None:
        """Compares the functions with the report."""
        report = self.report
        retry = read["retry_after_ms"]
        diagnosis = {
            "cause": read["diagnosis_cause"],
            "finding": read["diagnosis_finding"],
            "message": read["diagnosis_message"],
        }
        same = {
            "kind": self.kind,
            "outcome": ["not_executed", "unknown", "executed"][read["outcome"]],
            "http_status": read["http_status"] or None,
            "retry_after": None if retry < 0 else -(-retry // 1000),
            "diagnosis": diagnosis if read["diagnosis_finding"] else None,
            "journal_entry": json.loads(read["journal_entry"] or "null"),
        }
        for name in "code message advice path operation reference service_code".split():
            same[name] = read[name]
        for name in "service_message payment_hash attempts help".split():
            same[name] = read[name]
        assert read["status"] == status, (read["status"], status)
        assert same == report, (same, report)


class Response:
    """A payments_response."""

    def __init__(self, library: Library, handle: ctypes.c_void_p):
        self.http_status = library.response_http_status(handle)
        self.body = library.bytes_of(library.response_body, handle)
        self.view = json.loads(library.bytes_of(library.response_view, handle))
        for name, (function, result) in library.members.items():
            if name not in ("http_status", "header_count"):
                self._compare(name, function(handle), result)
        library.response_free(handle)

    def _compare(self, name: str, read: bytes | int | None, result: str) -> None:
        """Compares the functions with the view."""
        seen = self.view.get(name)
        if result == "const char *":
            assert (read.decode() if read is not None else None) == seen, (name, read, seen)
        else:
            assert read == (seen is True), (name, read, seen)


class Prepared:
    """A payments_prepared."""

    def __init__(self, library: Library, handle: ctypes.c_void_p):
        self.method = library.prepared_method(handle).decode()
        self.url = library.prepared_url(handle).decode()
        self.body = library.bytes_of(library.prepared_body, handle)
        self.headers = [
            (
                library.prepared_header_name(handle, index).decode(),
                library.prepared_header_value(handle, index).decode(),
            )
            for index in range(library.prepared_header_count(handle))
        ]
        library.prepared_free(handle)


class Observer:
    """Options with an observer that keeps its events."""

    _ON_EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)

    def __init__(self, library: Library):
        self.events: list[dict] = []
        # The library calls it as long as the client lives.
        self._on_event = self._ON_EVENT(self._keep)
        self.options = ctypes.c_void_p()
        assert library.options_new(ctypes.byref(self.options)) == 0
        function = ctypes.cast(self._on_event, ctypes.c_void_p)
        assert library.options_set_observer(self.options, None, function, None, None) == 0

    def _keep(self, _: int | None, text: bytes, length: int) -> None:
        # A text that is cut off is an event that no scenario expects.
        is_whole = len(text) == length
        self.events.append(json.loads(text) if is_whole else {"event": "cut", "call": 0})


class Client:
    """A payments_client."""

    def __init__(self, library: Library, config: str, observer: Observer | None):
        self.library = library
        text = config.encode()
        options = observer.options if observer else None
        try:
            self.handle = self._given(library.client_new, text, len(text), options)
        finally:
            library.options_free(options)

    def close(self) -> None:
        self.library.client_free(self.handle)

    def call(self, operation: str, body: bytes, options: dict) -> Response | SimpleNamespace:
        """The response, or the result of a function besides the operations as its view."""
        function = getattr(self.library, f"client_{operation}", None)
        with self._options(options) as call:
            if operation == "lint":
                return self._view(self._given(self.library.lint, body, len(body)))
            if operation == "token_status":
                return self._view(self._given(function, self.handle, call))
            if operation in ("forget_token", "warm_up"):
                self._done(function, self.handle, call)
                return self._view(None)
            if function is None or operation == "send":
                # The functions by name refuse what they do not know.
                name = operation.encode()
                parameters = (self.handle, name, len(name), body, len(body), call)
                handle = self._given(self.library.client_call, *parameters)
            elif operation == "access_token":
                handle = self._given(function, self.handle, call)
            else:
                handle = self._given(function, self.handle, body, len(body), call)
        return Response(self.library, handle)

    def _view(self, text: ctypes.c_void_p | None) -> SimpleNamespace:
        view = json.loads(self.library.text_of(text)) if text else None
        return SimpleNamespace(http_status=200, body=b"", view=view)

    def send(self, head: str, body: bytes, options: dict) -> Response:
        head_bytes = head.encode()
        with self._options(options) as call:
            parameters = (self.handle, head_bytes, len(head_bytes), body, len(body), call)
            return Response(self.library, self._given(self.library.client_send, *parameters))

    def prepare(self, operation: str, text: bytes, body: bytes, options: dict) -> Prepared:
        name = operation.encode()
        with self._options(options) as call:
            parameters = (self.handle, name, len(name), text, len(text), body, len(body), call)
            return Prepared(self.library, self._given(self.library.client_prepare, *parameters))

    @contextlib.contextmanager
    def _options(self, options: dict) -> Iterator[ctypes.c_void_p | None]:
        """A payments_call with these options, and none without any."""
        call = ctypes.c_void_p()
        assert not options or self.library.call_new(ctypes.byref(call)) == 0
        try:
            for name, value in options.items():
                text = value.encode() if name == "traceparent" else b""
                given = (text, len(text)) if name == "traceparent" else (value,)
                self._done(getattr(self.library, f"call_set_{name}"), call, *given)
            yield call if options else None
        finally:
            self.library.call_free(call)

    def _given(self, function, *parameters) -> ctypes.c_void_p:
        """Calls a function whose last two parameters are a handle and an error."""
        handle = ctypes.c_void_p()
        try:
            self._done(function, *parameters, ctypes.byref(handle))
        except Refusal:
            assert not handle.value, "an error and no handle"
            raise
        assert handle.value, "a handle and no error"
        return handle

    def _done(self, function, *parameters) -> None:
        """Calls a function whose last parameter is an error."""
        error = ctypes.c_void_p()
        status = function(*parameters, ctypes.byref(error))
        assert bool(status) == bool(error.value), "an error, or none"
        if status:
            raise Refusal(self.library, status, error)


def with_members_set(library: Library, text: str, members: dict[str, str]) -> bytes:
    """JSON text with members set by JSON Pointer, by a payments_request."""
    request = ctypes.c_void_p()
    assert library.request_new(ctypes.byref(request)) == 0
    for pointer, value in {"": text, **members}.items():
        place, json_text = pointer.encode(), value.encode()
        status = library.request_set_json(
            request, place, len(place), json_text, len(json_text), None
        )
        assert status == 0, (pointer, status)
    built = library.bytes_of(library.request_text, request)
    library.request_free(request)
    return built
