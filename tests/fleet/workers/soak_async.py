"""The asyncio process of the soak test; see src/soak/mod.rs."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from typing import Any

import libpayments


def report_of(error: libpayments.PaymentsError | None) -> str:
    """Return the report for a failure; None means the call had not started."""
    if error is None:
        return "not_executed"
    if isinstance(error, libpayments.CallCancelledError) and error.response is not None:
        return "responded"
    return error.outcome.value


async def perform(client: libpayments.AsyncClient, call: dict[str, Any]) -> str:
    """Make a call, cancelling its task if requested."""
    task = asyncio.ensure_future(client.call(call["operation"], json.dumps(call["request"])))
    if call["cancel_ms"] is not None:
        asyncio.get_running_loop().call_later(call["cancel_ms"] / 1000, task.cancel)
    try:
        await task
    except libpayments.PaymentsError as error:
        return report_of(error)
    except asyncio.CancelledError as error:
        return report_of(libpayments.payments_error_in(error))
    return "success"


async def response(client: libpayments.AsyncClient, call: dict[str, Any]) -> None:
    """Answer one call."""
    report = await perform(client, call)
    sys.stdout.write(json.dumps({"id": call["id"], "report": report}) + "\n")
    sys.stdout.flush()


async def recover(client: libpayments.AsyncClient) -> None:
    """Recover the journal, unless another process does."""
    try:
        await client.journal.recover()
    except libpayments.JournalError as error:
        if error.code != "already_running":
            raise
    print("recovered", flush=True)


async def main() -> None:
    """Run the protocol on standard input and output."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with libpayments.AsyncClient(**json.loads(await lines.readline())) as client:
        print("ready", flush=True)
        calls = set[asyncio.Task[None]]()
        while line := await lines.readline():
            if line == b"collect\n":
                gc.collect()
                print("collected", flush=True)
                continue
            if line == b"recover\n":
                await recover(client)
                continue
            call = loop.create_task(response(client, json.loads(line)))
            calls.add(call)
            call.add_done_callback(calls.discard)
        await asyncio.gather(*calls)


asyncio.run(main())
