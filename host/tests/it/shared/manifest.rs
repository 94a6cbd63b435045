//! Core and host have everything that `tests/manifest.json` lists.

use payments_core::{Client, ErrorKind, jws, signer};
use payments_host::by_name;
use serde_json::Value;

use crate::support::scenario::format::shared_folder;

/// Each stands here by its path, so that none is removed unnoticed.
#[test]
fn every_function_of_the_manifest_is_there() {
    let _ = (
        payments_host::journal::file::create,
        signer::generate_key,
        by_name::journal_list,
        by_name::prepare,
    );
    let _ = (payments_host::follow, Client::send, Client::shared, Client::token_status);
    let _ = (payments_host::wait_for_payment, Client::warm_up, Client::forget_token);
    let _ = (payments_core::lint, payments_core::qr_png, payments_core::qr_svg);
    let _ = || jws::verify(None, b"", |_| None);
    let there = [
        "create_journal",
        "follow",
        "forget_token",
        "generate_key",
        "journal",
        "lint",
        "prepare",
        "qr_png",
        "qr_svg",
        "send",
        "shared",
        "token_status",
        "verify",
        "wait_for_payment",
        "warm_up",
    ];
    let text = std::fs::read_to_string(shared_folder().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let listed = manifest["functions"].as_array().unwrap().iter();
    assert_eq!(listed.map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>(), there);
}

/// The table is maintained by hand.
#[test]
fn the_page_on_the_interface_says_when_each_kind_occurs() {
    let page = std::fs::read_to_string(shared_folder().join("../docs/interface.md")).unwrap();
    let (_, rest) = page.split_once("### Outcome of failures").unwrap();
    let (table, _) = rest.split_once("\n### ").unwrap();
    for kind in ErrorKind::ALL {
        assert!(table.contains(&format!("| `{kind}`")), "docs/interface.md says nothing of {kind}");
    }
}
