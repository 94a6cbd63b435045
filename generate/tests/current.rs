//! The committed files are those that the core's tables make.
//!
//! `cargo xtask generate` writes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::path::Path;

#[test]
fn the_committed_files_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = payments_generate::files();
    assert!(!files.is_empty());
    for file in files {
        let place = root.join(file.path);
        if std::env::var("UPDATE").is_ok_and(|it| it == "1") {
            std::fs::write(&place, &file.text).unwrap();
        }
        let committed = std::fs::read_to_string(&place).unwrap_or_default();
        let mut lines = file.text.lines().zip(committed.lines());
        let difference = lines.find(|(made, committed)| made != committed);
        assert!(
            committed == file.text,
            "{} is not what the core's tables say; first difference (made, committed): \
             {difference:?}. cargo xtask generate writes it",
            file.path
        );
    }
}

/// The first lines say what the file is, so that nobody edits it.
#[test]
fn every_file_says_that_it_is_generated() {
    for file in payments_generate::files() {
        let first = file.text.lines().take(3).collect::<String>();
        assert!(first.contains("Generated from the core's tables; do not edit"), "{}", file.path);
    }
}
