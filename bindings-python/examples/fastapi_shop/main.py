"""A checkout with FastAPI: one client for each process, from start to shutdown.

Run it with ``uvicorn main:app`` in this folder; ``PAYMENTS_CONFIG`` names the
configuration. ``../checkout.py`` shows how to handle an unknown outcome.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from pydantic import BaseModel

import libpayments


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """Make the client when a worker starts, and close it when the last request has ended."""
    path = os.environ.get("PAYMENTS_CONFIG", "payments.json")
    async with libpayments.AsyncClient.from_file(path) as client:
        yield {"payments": client}


app = FastAPI(lifespan=lifespan)


def payments(request: Request) -> libpayments.AsyncClient:
    """Give the client of this process."""
    client: libpayments.AsyncClient = request.state.payments
    return client


class Order(BaseModel):
    """The form that the payer's page sends. The shop itself knows the price."""

    name: str
    email: str
    document: str


@app.post("/orders/{number}/payment", status_code=201)
async def pay(
    number: str, order: Order, client: Annotated[libpayments.AsyncClient, Depends(payments)]
) -> dict[str, Any]:
    """Pay an order by pix."""
    # Save the number before the call: whatever happens, a query by it finds the payment.
    payment: libpayments.Payment = {
        **order.model_dump(),  # type: ignore[typeddict-item]
        "country": "br",
        "payment_type_code": "pix",
        "merchant_payment_code": number,
        "currency_code": "BRL",
        "amount_total": "100.10",
    }
    try:
        response = await client.create_payment(payment=payment)
    except libpayments.PaymentsError as error:
        if error.may_have_been_executed:
            # Not "failed": do not ask the payer to pay again. A job settles it.
            raise HTTPException(202, {"number": number, "state": "unknown"}) from error
        status = 422 if isinstance(error, libpayments.ValidationError) else 503
        raise HTTPException(status, {"number": number, "member": error.path}) from error
    return {"number": number, "state": str(response.status), "qr_code": response.qr_code_value}


@app.get("/orders/{number}")
async def look(
    number: str, client: Annotated[libpayments.AsyncClient, Depends(payments)]
) -> dict[str, Any]:
    """Say whether an order is paid: the payer's page polls this."""
    try:
        response = await client.query_payment(merchant_payment_code=number)
    except libpayments.PaymentsError as error:
        status = 404 if error.code == "payment_not_found" else 503
        raise HTTPException(status, {"number": number}) from error
    return {"number": number, "state": str(response.status), "paid": response.is_paid}
