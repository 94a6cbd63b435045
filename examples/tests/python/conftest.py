"""The sandbox for the tests of this shop."""

pytest_plugins = ["libpayments.testing.pytest_plugin"]
