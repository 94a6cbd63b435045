"""Writes what builds contain: license texts and a CycloneDX list for each packed crate.

Usage: notices.py CYCLONEDX ZIG OUT TARGET...

Writes THIRD-PARTY-LICENSES.txt and sbom.cdx.json into OUT/FOLDER, for each folder of
CRATES. CYCLONEDX is the program cargo-cyclonedx, which lists the crates of all platforms
and of the build: only those that are linked stay. ZIG is the folder of zig, and TARGET
a Rust target that is built.

The license texts are those published with each crate. The folder licenses has
those that are not: crates/REPOSITORY.txt for crates that publish none, std for the
crates of Rust's standard library, and windows for the additions of MinGW's GCC. Equal
texts are printed once. deny.toml decides which licenses are allowed.

The list also names the libraries in C that crates contain, with their versions.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

SBOM = "sbom.cdx.json"
CRATES = ("ffi-c", "bindings-node", "bindings-python", "cli")
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
TEXTS = Path(__file__).parent / "licenses"
# The crates of the standard library whose text is std/rust.txt, and those that
# only compilers and test programs link.
RUST = "alloc core panic-abort panic-unwind rustc-std-workspace-alloc rustc-std-workspace-core "
RUST += "rustc-std-workspace-std std std-detect sysroot unwind"
UNLINKED = "getopts proc-macro profiler-builtins rustc-literal-escaper test"
# Libraries in C, by the crates that contain them: the name, the license if it is
# not the crate's, the package URL, and a file of the crate with a macro that has
# the version.
LIBRARIES = {
    "aws-lc-sys": ("AWS-LC", None, "pkg:github/aws/aws-lc@v{}", "aws-lc/include/openssl/base.h"),
    "libsqlite3-sys": ("SQLite", "blessing", "pkg:generic/sqlite@{}", "sqlite3/sqlite3.h"),
}
VERSION = re.compile(r'^#define (?:AWSLC_VERSION_NUMBER_STRING|SQLITE_VERSION)\s+"([^"]+)"', re.M)
HEAD = """\
Builds of {crate} contain the crates below, and parts of:

{parts}

"""


def output(*line: str) -> str:
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def contained(crate: str, targets: list[str]) -> set[tuple[str, str]]:
    """Names and versions of linked crates: no build, test or macro crates."""
    chosen = ["-p", crate, *(part for target in targets for part in ("--target", target))]
    tree = output("cargo", "tree", "--locked", *chosen, "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}")
    pairs = (line.split()[:2] for line in tree.splitlines() if line.strip())
    return {(name, version.removeprefix("v")) for name, version in pairs}


def runtime(zig: Path) -> dict[str, list[Path]]:
    """The parts of a build that are not crates of Cargo.lock, with their texts."""
    std = {file.stem: file for file in sorted((TEXTS / "std").iterdir())}
    folder = Path(output("rustc", "--print", "target-libdir").strip())
    there = {re.sub(r"^lib(.*)-[0-9a-f]+$", r"\1", file.stem) for file in folder.glob("*.rlib")}
    known = {name.replace("-", "_") for name in [*std, *RUST.split(), *UNLINKED.split()]}
    if not there or there - known:
        sys.exit(f"notices: in Rust's standard library, {sorted(there - known)} has no text in {TEXTS}/std")
    parts = {"Rust's standard library": [std.pop("rust")]}
    parts |= {f"{name}, in Rust's standard library": [file] for name, file in std.items()}
    return parts | {
        "libunwind of LLVM": [zig / "lib/libunwind/LICENSE.TXT"],
        "compiler-rt of Zig": [zig / "LICENSE"],
        "musl, where a build is static": [zig / "lib/libc/musl/COPYRIGHT"],
        "the runtime of MinGW-w64, in builds for Windows": [TEXTS / "windows/mingw-w64.txt"],
        "winpthreads of MinGW-w64, in builds for Windows": [TEXTS / "windows/winpthreads.txt"],
        "libgcc of GCC, in builds for Windows": [TEXTS / "windows/gcc.txt"],
    }


def texts_of(package: dict) -> list[Path]:
    folder = Path(package["manifest_path"]).parent
    files = sorted(it for it in folder.iterdir() if it.name.upper().startswith(NAMES) and it.is_file())
    repository = (package["repository"] or "").removesuffix("/").rsplit("/", 1)[-1]
    kept = TEXTS / f"crates/{repository}.txt"
    if not files and kept.is_file():
        files = [kept]
    # Every package has the license of our own crates.
    if not files and package["source"] is not None:
        sys.exit(f"notices: {package['name']} publishes no license text: add {kept}")
    return files


def licenses(crate: str, inside: set[tuple[str, str]], zig: Path, packages: list[dict]) -> str:
    parts = runtime(zig)
    head = HEAD.format(crate=crate, parts="\n".join(parts))
    for package in sorted(packages, key=lambda it: (it["name"], it["version"])):
        if (package["name"], package["version"]) in inside:
            title = f"{package['name']} {package['version']} ({package['license']})"
            parts[title] = texts_of(package)
            head += f"{title}\n"
    users: dict[str, list[str]] = {}
    for title, files in parts.items():
        for file in files:
            users.setdefault(file.read_text(errors="replace").strip(), []).append(title)
    for text, titles in users.items():
        head += "\n".join(["", "=" * 80, *titles, "", text, ""])
    return head


def linked(sbom: dict, inside: set[tuple[str, str]]) -> dict:
    """The list without the crates that are not inside."""
    own = sbom["metadata"]["component"]
    sbom["components"] = [it for it in sbom["components"] if (it["name"], it["version"]) in inside]
    named = [own, *sbom["components"]]
    missing = inside - {(it["name"], it["version"]) for it in named}
    if missing:
        sys.exit(f"notices: the SBOM lacks {sorted(missing)}")
    refs = {it["bom-ref"] for it in named}
    sbom["dependencies"] = [
        it | {"dependsOn": [ref for ref in it["dependsOn"] if ref in refs]} if "dependsOn" in it else it
        for it in sbom["dependencies"]
        if it["ref"] in refs
    ]
    return sbom


def add_libraries(sbom: dict, packages: list[dict]) -> None:
    """Adds the libraries in C that crates of the list contain."""
    folders = {it["name"]: Path(it["manifest_path"]).parent for it in packages}
    for crate in [it for it in sbom["components"] if it["name"] in LIBRARIES]:
        name, license, url, header = LIBRARIES[crate["name"]]
        found = VERSION.search((folders[crate["name"]] / header).read_text())
        if not found:
            sys.exit(f"notices: {header} of {crate['name']} does not say the version of {name}")
        url = url.format(found[1])
        licenses = [{"expression": license}] if license else crate["licenses"]
        library = {"type": "library", "bom-ref": url, "name": name, "version": found[1], "purl": url}
        sbom["components"].append(library | {"licenses": licenses})
        needs = next(it for it in sbom["dependencies"] if it["ref"] == crate["bom-ref"])
        needs["dependsOn"] = [*needs.get("dependsOn", []), url]
        sbom["dependencies"].append({"ref": url})


def write(manifest: Path, zig: Path, folder: Path, targets: list[str], packages: list[dict]) -> None:
    """Writes both files for the crate of a manifest, beside which its list is."""
    crate = next(it["name"] for it in packages if it["manifest_path"] == str(manifest.absolute()))
    inside = contained(crate, targets)
    made = linked(json.loads(manifest.with_name(SBOM).read_text()), inside)
    add_libraries(made, packages)
    text = json.dumps(made, indent=2)
    text = text.replace(f"path+file://{Path.cwd()}", "path+file://libpayments")
    if str(Path.cwd()) in text:
        sys.exit(f"notices: the SBOM of {crate} names a folder of this machine")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SBOM).write_text(f"{text}\n")
    (folder / "THIRD-PARTY-LICENSES.txt").write_text(licenses(crate, inside, zig, packages))


def main() -> None:
    cyclonedx, zig, out, *targets = sys.argv[1:]
    packages = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1"))["packages"]
    own = [Path(it["manifest_path"]) for it in packages if it["source"] is None]
    options = ["--format", "json", "--spec-version", "1.5", "--no-build-deps", "--target", "all"]
    try:
        # Always written beside each manifest; no option of the program changes this.
        output(cyclonedx, "cyclonedx", *options, "--override-filename", SBOM.removesuffix(".json"))
        for name in CRATES:
            write(Path(name) / "Cargo.toml", Path(zig), Path(out) / name, targets, packages)
    finally:
        for manifest in own:
            manifest.with_name(SBOM).unlink(missing_ok=True)


main()
