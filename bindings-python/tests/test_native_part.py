"""Messages of an installation whose native part cannot be loaded."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

import libpayments

INSTALLED = Path(libpayments.__file__).parent
NATIVE = "_native.abi3.so"
PLATFORM = sysconfig.get_platform()


def without_native(folder: Path) -> Path:
    package = folder / "libpayments"
    shutil.copytree(INSTALLED, package, ignore=shutil.ignore_patterns(NATIVE, "__pycache__"))
    return package


def missing(folder: Path) -> tuple[Path, str]:
    package = without_native(folder)
    return folder, f"{package} has no file {NATIVE}"


def in_an_archive(folder: Path) -> tuple[Path, str]:
    without_native(folder / "source")
    archive = Path(shutil.make_archive(str(folder / "shop"), "zip", folder / "source"))
    return archive, f"{archive / 'libpayments'} is in an archive"


def for_another_processor(folder: Path) -> tuple[Path, str]:
    file = without_native(folder) / NATIVE
    library = bytearray((INSTALLED / NATIVE).read_bytes()[:4096])
    # The machine of an ELF file: 243 is RISC-V.
    library[18:20] = (243).to_bytes(2, "little")
    file.write_bytes(library)
    return (
        folder,
        f"the system refuses {file}, which may be for a newer Python, or another processor",
    )


def damaged(folder: Path) -> tuple[Path, str]:
    file = without_native(folder) / NATIVE
    file.write_bytes(b"")
    return folder, f"the system refuses {file}"


def for_another_python(folder: Path) -> tuple[Path, str]:
    file = without_native(folder) / "_native.cpython-27-x86_64-linux-gnu.so"
    file.write_bytes(b"")
    return folder, f"{file} is for another Python"


@pytest.mark.parametrize(
    "install", [missing, in_an_archive, for_another_processor, damaged, for_another_python]
)
def test_a_native_part_that_cannot_be_loaded_is_named(
    install: Callable[[Path], tuple[Path, str]], tmp_path: Path
) -> None:
    place, reason = install(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(place)!r}); import libpayments"
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    head = "ImportError: the native part of libpayments cannot be loaded: "
    assert said.startswith(f"{head}{reason}")
    running = f"cpython {sys.version_info[0]}.{sys.version_info[1]} on {PLATFORM}: "
    assert running in said
    remedy = "unpack it" if place.is_file() else f"{sys.executable} -m pip install"
    assert remedy in said.split(running)[1]
