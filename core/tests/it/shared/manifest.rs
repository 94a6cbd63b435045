//! `tests/manifest.json` lists exactly what the core offers.

use std::collections::BTreeSet;

use payments_core::ErrorKind;

use crate::support::manifest::{manifest, shared_folder};

/// With `UPDATE=1`, writes the file first.
#[test]
fn the_committed_manifest_is_true() {
    let file = shared_folder().join("manifest.json");
    let text = serde_json::to_string_pretty(&manifest()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    let difference = text.lines().zip(committed.lines()).find(|(core, file)| core != file);
    assert!(
        committed == text,
        "tests/manifest.json is not what the core offers; first difference (core, file): \
         {difference:?}. cargo xtask generate writes it"
    );
}

#[test]
fn numbers_of_kinds_are_positive_and_unique() {
    let numbers: BTreeSet<_> = ErrorKind::ALL.iter().map(|kind| kind.number()).collect();
    assert_eq!(numbers.len(), ErrorKind::ALL.len());
    assert!(numbers.iter().all(|number| *number > 0));
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
