//! Files that are generated from the tables of the core: the C header, the
//! declarations for PHP, the manifest, and the request types of Python,
//! TypeScript and PHP. Tests of the crates that know the tables write and
//! compare them.

use std::process::Stdio;

use crate::suites::WORKSPACE;
use crate::{Failure, sh};

/// The tests that compare what is committed; with `UPDATE=1` they write it.
const TESTS: [&str; 4] = [
    "the_header_is_current",
    "the_declarations_for_php_are_current",
    "the_committed_manifest_is_true",
    "the_committed_files_are_current",
];

pub(crate) fn check() -> Result<(), Failure> {
    run(false)
}

pub(crate) fn write() -> Result<(), Failure> {
    run(true)
}

fn run(is_written: bool) -> Result<(), Failure> {
    let tests = ["--test", "headers", "--test", "it", "--test", "current", "--"];
    let line = [&["cargo", "test", "--quiet"], WORKSPACE, &tests, &TESTS].concat();
    let mut command = sh::command(&line);
    if is_written {
        command.env("UPDATE", "1");
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let ran =
        text.matches("running 1 test\n").count() + 2 * text.matches("running 2 tests\n").count();
    if !output.status.success() || ran != TESTS.len() {
        return Err(format!("{text}\ngenerated files: {}", output.status));
    }
    println!("generated files are those of the sources");
    Ok(())
}
