"""An HSM in software: SoftHSM with a new token."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import KEY_FILE

TOKEN = "payments"
PIN = "canary-pin-27182"
_SO_PIN = "canary-so-pin-31415"
_MODULES = (
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/softhsm/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
)


class Hsm:
    """A token in a folder, with the test key in it."""

    def __init__(self, folder: Path) -> None:
        tokens, settings = folder / "tokens", folder / "softhsm2.conf"
        tokens.mkdir()
        settings.write_text(
            f"directories.tokendir = {tokens}\nobjectstore.backend = file\nlog.level = ERROR\n"
        )
        # The environment in which a process finds the token.
        self.environment = {"SOFTHSM2_CONF": str(settings)}
        self._util("--init-token", "--free", "--label", TOKEN, "--so-pin", _SO_PIN)
        self._util(
            *("--import", str(KEY_FILE), "--token", TOKEN, "--label", "signing", "--id", "a1"),
        )

    def _util(self, *arguments: str) -> None:
        command = ["softhsm2-util", *arguments, "--pin", PIN]
        environment = {**os.environ, **self.environment}
        try:
            subprocess.run(command, env=environment, capture_output=True, check=True)
        except FileNotFoundError as missing:
            raise AssertionError(
                "softhsm2-util is missing: install softhsm2, or run scripts/setup.sh python"
            ) from missing

    @property
    def members(self) -> dict[str, str | None]:
        """Return the members of a configuration that signs with it."""
        return {
            "key_file": None,
            "pkcs11_module": str(_module()),
            "pkcs11_token": TOKEN,
            "pkcs11_key_label": "signing",
            "pkcs11_pin": PIN,
        }


def _module() -> Path:
    found = next((Path(place) for place in _MODULES if Path(place).exists()), None)
    assert found, "libsofthsm2.so is missing: install softhsm2, or run scripts/setup.sh python"
    return found
