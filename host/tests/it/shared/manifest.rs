//! Core and host have everything that `tests/manifest.json` lists.

use std::collections::BTreeSet;
use std::path::Path;

use payments_core::{Client, ErrorKind, jws, signer};
use payments_host::by_name;
use serde_json::Value;

use crate::support::scenario::format::shared_folder;

/// Each is named here by its path, so that none is removed unnoticed.
#[test]
fn every_function_of_the_manifest_is_there() {
    let _ = (
        payments_host::journal::file::create,
        signer::generate_key,
        by_name::journal_list,
        by_name::prepare,
    );
    let _ = (payments_host::follow, Client::send, Client::shared, Client::token_status);
    let _ = (
        payments_host::wait_for_payment,
        payments_host::ensure_payment,
        Client::warm_up,
        Client::forget_token,
    );
    let _ = (payments_host::lint, payments_core::qr_png, payments_core::qr_svg);
    let _ = || jws::verify(None, b"", |_| None);
    let _ = || (payments_core::Config::from_file(""), payments_core::Config::from_env());
    let there = [
        "create_journal",
        "ensure_payment",
        "follow",
        "forget_token",
        "from_env",
        "from_file",
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
    let manifest = manifest();
    let levels = levels_of_rust(&manifest);
    let listed = manifest["functions"].as_array().unwrap().iter();
    let ours = listed.filter(|it| levels.iter().any(|level| level["name"] == it["level"]));
    let mut names: Vec<_> = ours.map(|it| it["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, there);
}

/// The crates run them for every language that is built on them.
#[test]
fn every_file_of_vectors_is_read_by_a_test() {
    let manifest = manifest();
    let mut tests = String::new();
    for folder in ["../transport/tests/it", "../core/tests/it", "../sandbox/tests/it"] {
        read_all(&shared_folder().join(folder), &mut tests);
    }
    for level in levels_of_rust(&manifest) {
        for file in level["vectors"].as_array().unwrap() {
            let name = format!("{}\"", file.as_str().unwrap());
            assert!(tests.contains(&name), "no test in Rust reads {file}");
        }
    }
}

/// The texts of all sources of a folder.
fn read_all(folder: &Path, texts: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, texts);
        } else if path.extension().is_some_and(|it| it == "rs") {
            texts.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

pub(crate) fn manifest() -> Value {
    let text = std::fs::read_to_string(shared_folder().join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The level of Rust, and those before it.
pub(crate) fn levels_of_rust(manifest: &Value) -> &[Value] {
    let levels = manifest["levels"].as_array().unwrap();
    let own = &manifest["languages"]["rust"]["level"];
    let last = levels.iter().position(|level| level["name"] == *own).unwrap();
    &levels[..=last]
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

/// A method of the client that no row has, and a row without a method.
#[test]
fn the_page_of_rust_lists_every_method_of_a_client() {
    let root = shared_folder().join("..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let mut methods = BTreeSet::new();
    for file in ["mod.rs", "generated.rs", "shared.rs", "intent.rs"] {
        let source = read(&format!("core/src/client/{file}"));
        let blocks = source.split("\nimpl Client {").skip(1);
        for block in blocks.filter_map(|it| it.split("\n}\n").next()) {
            let mut before = "";
            for line in block.lines() {
                let public = line.strip_prefix("    pub fn ");
                if let Some((name, _)) = public
                    .filter(|_| !before.contains("doc(hidden)"))
                    .and_then(|it| it.split_once(['(', '<']))
                {
                    methods.insert(format!("Client::{name}"));
                }
                before = line;
            }
        }
    }
    let page = read("docs/getting-started/rust.md");
    let (_, table) = page.split_once("<!-- methods:begin -->").unwrap();
    let (table, _) = table.split_once("<!-- methods:end -->").unwrap();
    let listed = table.split('`').filter(|it| it.starts_with("Client::"));
    assert_eq!(listed.map(str::to_owned).collect::<BTreeSet<_>>(), methods);
}
