"""Explains why the native module cannot be imported."""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES


def explain(error: ImportError) -> None:
    """Raise an error that says which file is at fault, on what platform, and what to do.

    Refusals by the native module itself are not explained.
    """
    found = _reason(error, os.path.dirname(__file__))
    if found is None:
        return
    reason, remedy = found
    version = f"{sys.version_info[0]}.{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
    platform = f"{sys.implementation.name} {version} on {sysconfig.get_platform()}"
    text = f"the native part of libpayments cannot be loaded: {reason}; this is {platform}"
    raise ImportError(f"{text}: {remedy}", name="libpayments._native", path=error.path) from error


def _reason(error: ImportError, folder: str) -> tuple[str, str] | None:
    remedy = f"run {sys.executable} -m pip install --force-reinstall libpayments"
    if not os.path.isdir(folder):
        unpacked = "unpack it into a folder, as shiv and pex do, or leave libpayments out of it"
        return f"{folder} is in an archive, from which no system loads a library", unpacked
    names = [name for name in os.listdir(folder) if name.startswith("_native.")]
    files = sorted(name for name in names if name.endswith((".so", ".pyd")))
    if not files:
        return f"{folder} has no file _native.abi3.so, or _native.pyd on Windows", remedy
    # An older Python, which this package does not support, must get as far as the message.
    if not any(name[len("_native") :] in EXTENSION_SUFFIXES for name in files):
        return f"{os.path.join(folder, files[0])} is for another Python", remedy
    if os.path.basename(error.path or "") in files:
        other = "which may be for a newer Python, or another processor or C library"
        return f"the system refuses {error.path}, {other} ({error})", remedy
    return None
