"""The requests of each process, as the service saw them.

A payment that begins with `sent_by` names the process that sent it.
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict

from support import Sandbox


def processes_by_connection(sandbox: Sandbox) -> dict[int, list[int]]:
    """Return the processes of all payments, by the connection they came on."""
    processes = defaultdict(list)
    for request in sandbox.requests("create_payment"):
        body = json.loads(base64.b64decode(request["body_base64"]))
        processes[request["connection"]].append(body["sent_by"])
    return dict(processes)


def assert_connections_belong_to_one_process_each(sandbox: Sandbox, count: int) -> None:
    """Check that `count` processes sent payments, each on its own connections.

    That proves something only if connections were kept: one must have carried
    several payments.
    """
    by_connection = processes_by_connection(sandbox)
    shared = {each: sent for each, sent in by_connection.items() if len(set(sent)) > 1}
    assert not shared, f"connections of several processes: {shared}"
    assert len({process for sent in by_connection.values() for process in sent}) == count
    assert max(len(sent) for sent in by_connection.values()) > 1


def assert_one_token_was_fetched(sandbox: Sandbox) -> None:
    """Check that all payments carried the one token that was ever asked for."""
    assert len(sandbox.requests("access_token")) == 1
    assert {each["bearer"] for each in sandbox.requests("create_payment")} == {"valid"}
