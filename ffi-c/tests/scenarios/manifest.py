"""Compares the C ABI with the manifest of the core."""

from __future__ import annotations

from abi import ROOT, Library

# Where the names in C differ from those of the manifest.
FUNCTIONS = {
    "create_journal": "payments_journal_create",
    "ensure_payment": "payments_client_ensure_payment",
    "follow": "payments_client_follow",
    "forget_token": "payments_client_forget_token",
    "from_env": "payments_client_from_env",
    "from_file": "payments_client_from_file",
    "generate_key": "payments_generate_key",
    "journal": "payments_client_journal_list",
    "lint": "payments_lint",
    "prepare": "payments_client_prepare",
    "qr_png": "payments_qr_png",
    "qr_svg": "payments_qr_svg",
    "send": "payments_client_send",
    "shared": "payments_client_shared",
    "token_status": "payments_client_token_status",
    "verify": "payments_verify",
    "wait_for_payment": "payments_client_wait_for_payment",
    "warm_up": "payments_client_warm_up",
}
ERROR_MEMBERS = {
    "kind": ["payments_error_status", "payments_status_name"],
    "diagnosis": [f"payments_error_diagnosis_{it}" for it in ("cause", "finding", "message")],
    "retry_after": ["payments_error_retry_after_ms"],
}


def level_of_c(manifest: dict) -> dict:
    """The scenarios and functions of the level of C, with those of the levels before it."""
    names = [level["name"] for level in manifest["levels"]]
    levels = manifest["levels"][: names.index(manifest["languages"]["c"]["level"]) + 1]
    return {
        "scenarios": sorted(name for level in levels for name in level["scenarios"]),
        "functions": [
            function["name"]
            for function in manifest["functions"]
            if any(function["level"] == level["name"] for level in levels)
        ],
    }


def check_manifest(library: Library, manifest: dict) -> list[str]:
    """Functions that C lacks."""
    header = (ROOT / "include/payments.h").read_text(encoding="utf-8")
    wanted = [f"payments_client_{operation['name']}" for operation in manifest["operations"]]
    wanted += [FUNCTIONS[function] for function in level_of_c(manifest)["functions"]]
    for member in manifest["error_members"] + manifest["error_details"]:
        wanted += ERROR_MEMBERS.get(member, [f"payments_error_{member}"])
    missing = [f"no function {name}" for name in wanted if name not in library.names]
    for kind in manifest["error_kinds"]:
        name = library.status_name(kind["number"]).decode()
        constant = f"PAYMENTS_STATUS_{kind['name'].upper()} = {kind['number']},"
        if name != kind["name"] or constant not in header:
            missing.append(f"no status {kind['name']} with the number {kind['number']}")
    for number, outcome in enumerate(manifest["outcomes"]):
        if f"PAYMENTS_OUTCOME_{outcome.upper()} = {number}," not in header:
            missing.append(f"no outcome {outcome}")
    for option in manifest["configuration"]:
        if f" * - {option['name']} (" not in header:
            missing.append(f"the header does not document the option {option['name']}")
    for operation in manifest["operations"]:
        missing += [
            f"the header does not document {place}"
            for place in _places(operation["fields"], "")
            if f" * - {place} (" not in header and f" * - {place}* (" not in header
        ]
    return missing


def _places(fields: list[dict], above: str) -> list[str]:
    places = []
    for field in fields:
        place = f"{above}/{field['name']}"
        below = f"{place}/-" if field["shape"] in ("objects", "texts_or_objects") else place
        places += [place, *_places(field.get("fields", []), below)]
    return places
