//! The committed files match the core's tables; `cargo xtask generate` writes
//! them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use payments_generate::File;

/// The notice in every generated file.
const ORIGIN: &str = "Generated from the core's tables; do not edit";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The committed text of a file; empty if there is none.
fn committed(file: &File) -> String {
    std::fs::read_to_string(root().join(&file.path)).unwrap_or_default()
}

#[test]
fn the_committed_files_are_current() {
    if std::env::var("UPDATE").is_ok_and(|it| it == "1") {
        // A file may have parts from several tables, so each is generated
        // after the previous one was written.
        for index in 0..payments_generate::files().len() {
            let file = payments_generate::files().swap_remove(index);
            std::fs::create_dir_all(root().join(&file.path).parent().unwrap()).unwrap();
            std::fs::write(root().join(&file.path), &file.text).unwrap();
        }
    }
    let files = payments_generate::files().into_iter();
    let stale: Vec<_> = files
        .filter_map(|file| {
            let committed = committed(&file);
            let mut lines = file.text.lines().zip(committed.lines());
            let differs = |(made, committed): &(&str, &str)| made != committed;
            let difference = lines.find(differs).unwrap_or(("more or fewer lines", ""));
            (file.text != committed).then(|| format!("{}: {difference:?}", file.path))
        })
        .collect();
    assert!(
        stale.is_empty(),
        "not what the core's tables say, with the first line (made, committed) that differs; cargo \
         xtask generate writes them:\n{}",
        stale.join("\n")
    );
}

/// Finds files whose table entry was removed, which would otherwise stay.
#[test]
fn every_generated_file_is_one_that_is_made() {
    let made: Vec<_> = payments_generate::files().into_iter().map(|file| file.path).collect();
    let folders: BTreeSet<_> = made.iter().map(|path| Path::new(path).parent().unwrap()).collect();
    for folder in folders {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let name = folder.join(path.file_name().unwrap());
            let is_made = made.iter().any(|path| Path::new(path) == name);
            assert!(is_made || !says_so(&text), "{} is made no more; delete it", name.display());
        }
    }
}

/// The first lines warn against editing the file.
#[test]
fn every_file_says_that_it_is_generated() {
    for file in payments_generate::files().iter().filter(|file| file.is_whole) {
        assert!(says_so(&file.text), "{}", file.path);
    }
}

fn says_so(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains(ORIGIN))
}

/// The head of `send` is written by hand in each package, since its body and
/// query have types of that language.
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

/// The sections themselves are written by hand.
#[test]
fn every_operation_has_a_section_in_the_documentation() {
    let page = std::fs::read_to_string(root().join("docs/interface.md")).unwrap();
    for operation in payments_core::Operation::ALL {
        let (method, path) = (operation.method(), operation.path());
        let begins = |base: &str| page.contains(&format!("\n`{method} {{{base}}}{path}`\n"));
        let is_there = path.is_empty() || begins("base_url") || begins("auth_url");
        assert!(
            is_there,
            "docs/interface.md has no section that begins with `{method} {{base_url}}{path}`"
        );
    }
}
