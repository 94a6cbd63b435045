"""The example with FastAPI, started by uvicorn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servers import FOLDER, serving
from support import Sandbox

EXAMPLE = FOLDER.parent.parent / "examples" / "fastapi_shop"
PAYER = {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"}


def test_it_pays_and_closes_its_client(sandbox: Sandbox, tmp_path: Path) -> None:
    configuration = tmp_path / "payments.json"
    configuration.write_text(json.dumps(sandbox.configuration()))
    environment = {"PAYMENTS_CONFIG": str(configuration), "PAYMENTS_LOG": "debug"}
    words = ["uvicorn", "--fd", "FD", "main:app"]
    with serving(words, tmp_path, EXAMPLE, environment) as server:
        paid = server.ask("/orders/order-1/payment", PAYER)
        assert (paid["number"], paid["state"]) == ("order-1", "PE")
        assert len(paid["qr_code"]) > 10
        sandbox.post("/sandbox/payments/order-1/confirm")
        assert server.ask("/orders/order-1")["paid"]
        with pytest.raises(AssertionError, match="422"):
            server.ask("/orders/order-2/payment", {**PAYER, "document": ""})
        sandbox.fault("close", execute=True)
        unknown = server.ask("/orders/order-3/payment", PAYER)
        assert unknown["detail"] == {"number": "order-3", "state": "unknown"}
        server.stop()
    assert "Application shutdown complete" in server.log()
