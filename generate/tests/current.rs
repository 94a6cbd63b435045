//! The committed files match the description in `spec/`; `cargo xtask generate`
//! writes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use payments_generate::File;

/// The notice in every generated file.
const ORIGIN: &str = "; do not edit.";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files() -> Vec<File> {
    payments_generate::files().unwrap_or_else(|mistakes| panic!("\n{mistakes}"))
}

#[test]
fn the_committed_files_are_current() {
    let stale = payments_generate::stale().unwrap();
    assert!(stale.is_empty(), "cargo xtask generate writes them:\n{}", stale.join("\n"));
}

/// Finds files whose table entry was removed, which would otherwise stay.
#[test]
fn every_generated_file_is_still_made() {
    let made: Vec<_> = files().into_iter().map(|file| file.path).collect();
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
    for file in files().iter().filter(|file| file.is_whole) {
        assert!(says_so(&file.text), "{}", file.path);
    }
}

fn says_so(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains(ORIGIN))
}
