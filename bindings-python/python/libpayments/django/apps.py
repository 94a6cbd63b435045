"""The application of Django."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core.checks import register
from django.core.signals import setting_changed

from . import async_client, client
from .checks import check_configuration, check_journal


class LibpaymentsConfig(AppConfig):
    """Registers the checks."""

    name = "libpayments.django"
    label = "libpayments"
    verbose_name = "libpayments"

    def ready(self) -> None:
        """Register the checks, and make new clients when tests override settings."""
        register(check_configuration)
        register(check_journal, deploy=True)
        setting_changed.connect(_forget, dispatch_uid="libpayments")


def _forget(*, setting: str, **_: Any) -> None:
    if setting in ("LIBPAYMENTS", "DATABASES"):
        client.cache_clear()
        async_client.cache_clear()
