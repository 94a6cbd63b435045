"""Prints the license texts of all crates that are linked into builds.

Usage: licenses.py CRATE...

The texts are those published with each crate. Equal texts are printed once.
deny.toml decides which licenses are allowed.
"""

import json
import subprocess
import sys
from pathlib import Path

TARGETS = [f"{cpu}-unknown-linux-{libc}" for cpu in ("x86_64", "aarch64") for libc in ("gnu", "musl")]
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
HEAD = """\
Builds of libpayments contain the crates below, the standard library of Rust (MIT
or Apache-2.0), compiler-rt and libunwind of LLVM (Apache-2.0 WITH LLVM-exception)
and, where they are static, musl (MIT, Copyright 2005-2020 Rich Felker, et al.).
"""


def cargo(*arguments: str) -> str:
    line = ["cargo", *arguments, "--locked"]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def contained(crates: list[str]) -> set[tuple[str, str]]:
    """Names and versions of linked crates: no build, test or macro crates."""
    chosen = [part for crate in crates for part in ("-p", crate)]
    chosen += [part for target in TARGETS for part in ("--target", target)]
    tree = cargo("tree", *chosen, "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}")
    pairs = (line.split()[:2] for line in tree.splitlines() if line.strip())
    return {(name, version.removeprefix("v")) for name, version in pairs}


def main() -> None:
    packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    inside = contained(sys.argv[1:])
    users: dict[str, list[str]] = {}
    print(HEAD)
    for package in sorted(packages, key=lambda it: (it["name"], it["version"])):
        if (package["name"], package["version"]) not in inside:
            continue
        title = f"{package['name']} {package['version']} ({package['license']})"
        print(title)
        folder = Path(package["manifest_path"]).parent
        files = sorted(it for it in folder.iterdir() if it.name.upper().startswith(NAMES) and it.is_file())
        for file in files:
            users.setdefault(file.read_text(errors="replace").strip(), []).append(title)
        if not files and not {"MIT", "Apache-2.0"} & set(package["license"].replace("/", " ").split()):
            sys.exit(f"licenses: {title} has no license text: add it to {__file__}")
    for text, titles in users.items():
        print("\n" + "=" * 80 + "\n" + "\n".join(titles) + "\n\n" + text)


main()
