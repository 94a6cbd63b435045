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

/// The head of `send` is written by hand in each package, since only there
/// stand the types of its body and of its query.
#[test]
fn send_takes_the_members_of_the_table_in_every_language() {
    let request = payments_core::Operation::Send.request().unwrap();
    let members: Vec<_> = request.fields.iter().map(|field| field.name).collect();
    let typescript = between("bindings-node/index.d.ts", "interface SendRequest {\n", "\n}");
    let typescript = typescript.lines().filter(|line| !line.trim().starts_with(['/', '*', '|']));
    let named = typescript.filter_map(|line| line.trim().split_once(':'));
    let named = named.map(|(name, _)| name.trim_end_matches('?')).filter(|name| *name != "body");
    assert_eq!(named.collect::<Vec<_>>(), members, "SendRequest");
    let python = between("bindings-python/python/libpayments/_base.py", "def send_head(\n", "\n)");
    let named = python.lines().filter_map(|line| line.trim().split_once(':'));
    assert_eq!(named.map(|(name, _)| name).collect::<Vec<_>>(), members, "send_head");
    let php = between("bindings-php/src/Client.php", "$head = [", "Json::encode($head");
    let named = php.split('\'').skip(1).step_by(2);
    assert_eq!(named.collect::<Vec<_>>(), members, "Client::send");
}

fn between(path: &str, start: &str, end: &str) -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(place).unwrap();
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0.to_owned()
}
