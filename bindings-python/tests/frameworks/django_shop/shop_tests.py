"""The tests of the shop, with the settings that the documentation shows."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import TestCase, override_settings

import libpayments
from django_shop.urls import order
from libpayments.django import client, sandbox

ELSEWHERE = {"CONFIGURATION": {"base_url": "https://payments.example", "integration_key": "k"}}


class WithTheSettings(TestCase):
    def test_a_query_needs_no_journal(self) -> None:
        with pytest.raises(libpayments.RejectedError):
            client().query_payment(hash="none")

    def test_a_payment_is_not_made_without_its_journal(self) -> None:
        with pytest.raises(libpayments.JournalError) as caught:
            client().create_payment(payment=order("order-2"))
        assert caught.value.outcome == "not_executed"
        if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            assert "SANDBOX_IN_TESTS" in caught.value.message


@override_settings(LIBPAYMENTS=settings.LIBPAYMENTS | {"SANDBOX_IN_TESTS": True})
class InASandbox(TestCase):
    def setUp(self) -> None:
        sandbox().reset()

    def test_a_payment_is_made_there(self) -> None:
        assert client().create_payment(payment=order("order-1")).status == "PE"
        sandbox().pay("order-1")
        assert client().query_payment(merchant_payment_code="order-1").is_paid


@override_settings(LIBPAYMENTS=ELSEWHERE)
class AtTheService(TestCase):
    def test_there_is_no_client(self) -> None:
        with pytest.raises(
            ImproperlyConfigured, match="a test would pay at the configured service"
        ):
            client()
