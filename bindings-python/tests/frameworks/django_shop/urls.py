"""The views of the shop."""

from __future__ import annotations

import os
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpRequest, JsonResponse
from django.urls import path

import libpayments
from libpayments.django import async_client, client

observed: list[str] = []


def observe(event: libpayments.Event) -> None:
    observed.append(event["event"])


def order(code: str) -> Any:
    return {
        "name": "Ana López",
        "email": "ana@example.com",
        "country": "mx",
        "payment_type_code": "oxxo",
        "currency_code": "MXN",
        "amount_total": "250.00",
        "merchant_payment_code": code,
    }


def pay(_: HttpRequest, code: str) -> JsonResponse:
    """Pay in a transaction of the project, which is rolled back."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE orders (code varchar(50))")
        response = client().create_payment(payment=order(code))
        transaction.set_rollback(True)
    return JsonResponse(
        {
            "process": os.getpid(),
            "status": str(response.status),
            "tables": connection.introspection.table_names(),
            "observed": observed,
        }
    )


async def pay_async(_: HttpRequest, code: str) -> JsonResponse:
    response = await async_client().create_payment(payment=order(code))
    return JsonResponse({"status": str(response.status)})


urlpatterns = [path("pay/<code>", pay), path("async/<code>", pay_async)]
application = get_wsgi_application()
