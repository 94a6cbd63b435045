//! Files generated from `spec/`: the core's own tables and types, parts of the
//! packages for other languages, the manifest, and tables in the documentation;
//! and from ffi-c the C header and the PHP declarations. Tests compare and write
//! them.

use std::process::Stdio;

use crate::suites::WORKSPACE;
use crate::{Failure, sh};

/// The tests that compare the committed files, or write them with `UPDATE=1`.
/// In order: the C header depends on a generated source.
const TESTS: [(&str, &[&str]); 2] = [
    ("current", &["the_committed_files_are_current"]),
    ("headers", &["the_header_is_current", "the_declarations_for_php_are_current"]),
];

pub(crate) fn check() -> Result<(), Failure> {
    run(false)
}

pub(crate) fn write() -> Result<(), Failure> {
    run(true)
}

/// Runs all tests even after a failure, to name every stale file at once.
fn run(is_written: bool) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for (program, names) in TESTS {
        let line = [&["cargo", "test", "--quiet"], WORKSPACE, &["--test", program, "--"], names];
        let mut command = sh::command(&line.concat());
        if is_written {
            command.env("UPDATE", "1");
        }
        let output =
            command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let ran = match names.len() {
            1 => "running 1 test\n".to_owned(),
            count => format!("running {count} tests\n"),
        };
        if !output.status.success() || !text.contains(&ran) {
            failures.push(format!("{text}\ngenerated files ({program}): {}", output.status));
        }
    }
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    println!("generated files are those of the sources");
    Ok(())
}
