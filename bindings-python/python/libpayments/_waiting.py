"""How a task waits for a call that runs on another thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from . import _native
from ._base import BaseClient, reserve_frames
from ._errors import CallCancelledError, warn_unless_read

_Value = TypeVar("_Value")

# A loop that cancels a task again at every turn would keep a core busy until
# the call ends. After a few cancellations, each further one adds a pause.
_SOME_CANCELLATIONS = 8
_PAUSE = 0.001


class TaskClient(BaseClient):
    """Makes calls on other threads, for which tasks wait."""

    async def _run(
        self,
        work: _native.Work,
        read: Callable[[Any], _Value],
        timeout_ms: int | None,
        traceparent: str | None = None,
    ) -> _Value:
        reserve_frames()
        pending = await _ended(self._core(), work, (timeout_ms, traceparent))
        try:
            return read(pending.take())
        except BaseException as raised:
            # As in `BlockingClient`.
            if not pending.has_value:
                raise
            raise pending.exception_after(raised)  # noqa: B904


async def _ended(
    client: _native.NativeClient,
    work: _native.Work,
    limits: tuple[int | None, str | None],
) -> _native.Pending:
    """Run the call; a cancelled task raises ``CancelledError`` from the call's error."""
    loop = asyncio.get_running_loop()
    end: asyncio.Future[None] = loop.create_future()
    # No Python code: a signal handler that raised in it would keep the task waiting.
    deliver = functools.partial(end.set_result, None)
    pending = client.start(work, limits, loop.call_soon_threadsafe, deliver)
    try:
        # The task may be cancelled; the future of its call must not be.
        await asyncio.shield(end)
    except asyncio.CancelledError as cancelled:
        text = pending.withdraw()
        if text is not None:
            # Thousands of such calls may end in one turn of the loop, mostly unread.
            report = functools.partial(client.report_of_withdrawn, work)
            raise cancelled from CallCancelledError(text, report)
        if not pending.cancel():
            await _until_done(end)
        error = pending.cancelled()
        warn_unless_read(error)
        raise cancelled from error
    except BaseException as raised:
        pending.cancel()
        raise pending.exception_after(raised)  # noqa: B904
    return pending


async def _until_done(end: asyncio.Future[None]) -> None:
    with _one_cancellation():
        for count in itertools.count():
            if end.done():
                break
            try:
                await asyncio.wait([end])
            except asyncio.CancelledError:
                if count >= _SOME_CANCELLATIONS:
                    time.sleep(_PAUSE)


def _one_cancellation() -> contextlib.AbstractContextManager[object]:
    """Prevent anyio, if it is in use, from cancelling at every turn of the loop."""
    anyio = sys.modules.get("anyio")
    return contextlib.nullcontext() if anyio is None else anyio.CancelScope(shield=True)
