"""A checkout as a reader has it, and programs in place of those that would take a
release build or another service."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from terminal import Mistake

# Provides the build of the tests in place of a release build.
CARGO = """#!/usr/bin/env bash
set -euo pipefail
case "$1" in
    install) [[ -e "${@: -1}/Cargo.toml" ]] && install -D {target}/payments -t "$HOME/.cargo/bin" ;;
    build) ;;
    metadata) echo '{"target_directory": "'"$CARGO_TARGET_DIR"'"}' ;;
    *) exec {cargo} "$@" ;;
esac
"""
# The build backend of the package in Python.
BACKEND = """import shutil

def build_wheel(folder, settings=None, metadata=None):
    return shutil.copy({wheel!r}, folder).rpartition("/")[2]
"""
BUILD_SYSTEM = """[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
OPENER = "#!/usr/bin/env bash\nexec curl --silent --show-error --fail --output /dev/null $1\n"
# In place of packagist: the skeletons, with the frameworks that Debian packages.
SKELETONS = Path(__file__).parent / "composer"


class Checkout:
    """The folder `libpayments` beside which a reader begins."""

    def __init__(self, repository: Path, folder: Path, target: Path) -> None:
        self.beside = folder / "beside"
        self.path = self.beside / "libpayments"
        self.path.mkdir(parents=True)
        copied = ("bindings-node", "bindings-python")  # Packages are built in them.
        for entry in repository.iterdir():
            if entry.name not in (".git", "target", *copied):
                (self.path / entry.name).symlink_to(entry)
        for name in copied:
            self.copy(repository, name)
        [wheel] = (target / "python" / "dist").glob("libpayments-*.whl")
        python = self.path / "bindings-python"
        (python / "backend.py").write_text(BACKEND.format(wheel=str(wheel)))
        (python / "pyproject.toml").write_text(BUILD_SYSTEM)
        self.entries = {entry.name for entry in self.path.iterdir()}
        self.environment = environment(folder, target)

    def copy(self, repository: Path, name: str) -> None:
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", name]
        listed = subprocess.run(words, cwd=repository, capture_output=True, text=True, check=True)
        for file in filter(None, listed.stdout.split("\0")):
            if (repository / file).is_file():
                (self.path / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(repository / file, self.path / file)

    def assert_untouched(self) -> None:
        made = {entry.name for entry in self.path.iterdir()} - self.entries
        environments = {str(file) for file in self.path.glob("*/*/pyvenv.cfg")}
        if made | environments:
            raise Mistake(f"made in the checkout: {made | environments}")


def environment(folder: Path, target: Path) -> dict[str, str]:
    """An empty home with the caches of the user, and the stand-ins before other programs."""
    own = Path.home()
    home, bin, built = (folder / name for name in ("home", "bin", "built"))
    for made in (home / "composer", bin, built):
        made.mkdir(parents=True)
    skeletons = {"type": "path", "url": f"{SKELETONS}/*", "options": {"symlink": False}}
    repositories = {"packagist.org": False, "skeletons": skeletons}
    (home / "composer" / "config.json").write_text(json.dumps({"repositories": repositories}))
    (built / "release").symlink_to(target / "debug")
    cargo = CARGO.replace("{cargo}", shlex.quote(str(shutil.which("cargo"))))
    cargo = cargo.replace("{target}", shlex.quote(str(target / "debug")))
    for name, script in (("cargo", cargo), ("xdg-open", OPENER)):
        (bin / name).write_text(script)
        (bin / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYMENTS_")}
    kept.pop("LIBPAYMENTS_LIBRARY", None)
    return kept | {
        "HOME": str(home),
        "PATH": f"{bin}:{home}/.cargo/bin:{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(built),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(own / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(own / ".rustup")),
        "PYENV_ROOT": os.environ.get("PYENV_ROOT", str(own / ".pyenv")),
        "PIP_CACHE_DIR": str(own / ".cache" / "pip"),
        "NPM_CONFIG_CACHE": str(own / ".npm"),
        "NPM_CONFIG_USERCONFIG": str(own / ".npmrc"),
        "COMPOSER_HOME": str(home / "composer"),
        "COMPOSER_ALLOW_SUPERUSER": "1",
    }
