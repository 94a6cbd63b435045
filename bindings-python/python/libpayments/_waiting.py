"""How a task waits for a call that runs on another thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _native


async def outcome_of(
    client: _native.NativeClient, work: _native.Work, timeout_ms: int | None
) -> Any:
    """Make the call; a cancelled task raises ``CancelledError`` from the call's error."""
    loop = asyncio.get_running_loop()
    end: asyncio.Future[None] = loop.create_future()
    deliver = functools.partial(_deliver, end)
    pending = client.start(work, timeout_ms, loop.call_soon_threadsafe, deliver)
    try:
        await asyncio.wait([end])
    except asyncio.CancelledError as cancelled:
        pending.cancel()
        with _one_cancellation():
            while not end.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([end])
        raise cancelled from _error_of(pending)
    except BaseException:
        pending.cancel()
        raise
    return pending.take(False)


def _deliver(end: asyncio.Future[None]) -> None:
    if not end.done():
        end.set_result(None)


def _error_of(pending: _native.Pending) -> BaseException:
    try:
        pending.take(True)
    except BaseException as error:
        return error
    raise AssertionError("a cancelled call gave no error")


def _one_cancellation() -> contextlib.AbstractContextManager[object]:
    """Keep anyio, where it is in use, from cancelling at every turn of the loop."""
    anyio = sys.modules.get("anyio")
    return contextlib.nullcontext() if anyio is None else anyio.CancelScope(shield=True)
