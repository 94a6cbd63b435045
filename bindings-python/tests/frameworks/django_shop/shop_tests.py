"""The tests of the shop, with the settings that the documentation shows."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import TestCase, override_settings

import libpayments
from django_shop.urls import order
from libpayments.django import client

WITHOUT_JOURNAL = {"FILE": settings.LIBPAYMENTS["FILE"]}


class WithTheSettings(TestCase):
    def test_a_query_needs_no_journal(self) -> None:
        with pytest.raises(libpayments.RejectedError):
            client().query_payment(hash="none")

    def test_a_payment_is_not_made_without_its_journal(self) -> None:
        with pytest.raises(libpayments.JournalError) as caught:
            client().create_payment(payment=order("order-2"))
        assert caught.value.outcome == "not_executed"
        if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            assert "override LIBPAYMENTS without JOURNAL" in caught.value.message


@override_settings(LIBPAYMENTS=WITHOUT_JOURNAL)
class WithoutAJournal(TestCase):
    def test_a_payment_is_made(self) -> None:
        assert client().create_payment(payment=order("order-1")).status == "PE"
