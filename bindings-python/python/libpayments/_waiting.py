"""How a task waits for a call that runs on another thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _native

# A loop that cancels a task again at every turn would keep a core busy until
# the call ends. After a few cancellations, each further one adds a pause.
_SOME_CANCELLATIONS = 8
_PAUSE = 0.001


async def outcome_of(
    client: _native.NativeClient, work: _native.Work, timeout_ms: int | None
) -> Any:
    """Run the call; a cancelled task raises ``CancelledError`` from the call's error."""
    loop = asyncio.get_running_loop()
    end: asyncio.Future[None] = loop.create_future()
    deliver = functools.partial(_deliver, end)
    pending = client.start(work, timeout_ms, loop.call_soon_threadsafe, deliver)
    try:
        await asyncio.wait([end])
    except asyncio.CancelledError as cancelled:
        pending.cancel()
        with _one_cancellation():
            for count in itertools.count():
                if end.done():
                    break
                try:
                    await asyncio.wait([end])
                except asyncio.CancelledError:
                    if count >= _SOME_CANCELLATIONS:
                        time.sleep(_PAUSE)
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
    """Prevent anyio, if it is in use, from cancelling at every turn of the loop."""
    anyio = sys.modules.get("anyio")
    return contextlib.nullcontext() if anyio is None else anyio.CancelScope(shield=True)
