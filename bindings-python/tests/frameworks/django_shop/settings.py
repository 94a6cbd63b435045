"""A small project that pays, with the database that the environment names."""

import json
import os
from pathlib import Path

FOLDER = Path(os.environ["SHOP_FOLDER"])
SECRET_KEY = "of a test"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "django_shop.urls"
INSTALLED_APPS = ["libpayments.django"]
DATABASES = {
    "default": json.loads(os.environ["SHOP_DATABASE"]),
}
LIBPAYMENTS = {
    "FILE": FOLDER / "payments.json",
    "JOURNAL": "default",
    "OBSERVER": "django_shop.urls.observe",
    **json.loads(os.environ.get("SHOP_LIBPAYMENTS", "{}")),
}
