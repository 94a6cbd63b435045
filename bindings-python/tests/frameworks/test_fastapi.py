"""The shop with FastAPI, started by uvicorn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import libpayments
from servers import serving
from support import SHARED, Sandbox
from waiting import until

SHOP = SHARED.parent / "examples" / "shop"
PAYER = {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"}
ORDER = {"items": {"mug": 1, "shirt": 0}, "payer": PAYER}


@pytest.mark.parametrize("workers", [1, 2])
def test_its_shop_pays_and_delivers(sandbox: Sandbox, tmp_path: Path, workers: int) -> None:
    folder = shutil.copytree(SHOP, tmp_path / "shop")
    journal = tmp_path / "journal.sqlite"
    libpayments.create_journal(journal)
    configuration = sandbox.configuration() | {"journal": f"file:{journal}"}
    (folder / "payments.json").write_text(json.dumps(configuration))
    words = ["uvicorn", "--fd", "FD", "--workers", str(workers), "shop:app"]
    with serving(words, tmp_path, folder, {"PAYMENTS_CONFIG": "payments.json"}) as server:
        paid = server.ask("/orders/00000001", ORDER, "PUT")
        assert (paid["reference"], paid["total"]) == ("order-00000001", "10.50")
        assert len(paid["code"]) > 10
        sandbox.post("/sandbox/payments/order-00000001/confirm")
        until(
            lambda: server.ask("/orders/00000001")["state"] == "delivered", "the end of the payment"
        )
        missing = ORDER | {"payer": PAYER | {"document": ""}}
        assert server.ask("/orders/00000002", missing, "PUT")["problem"] == "required"
        with pytest.raises(AssertionError, match="422"):
            server.ask("/orders/00000002", ORDER | {"items": {"mug": -1, "shirt": 1}}, "PUT")
        sandbox.fault("close", execute=True)
        assert server.ask("/orders/00000003", ORDER, "PUT")["state"] == "waiting"
        server.stop()
    assert "deliver order-00000001" in server.log()
    assert "Application shutdown complete" in server.log()
