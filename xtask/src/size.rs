//! `cargo xtask size`: lines of code by folder, and of the core by floor.
//! Tests, benchmarks, examples, comments and blank lines do not count; what is
//! generated counts apart. Templates and the description count like code.

use std::collections::BTreeMap;

use crate::{Failure, sh};

const LANGUAGES: [&str; 8] = ["rs", "py", "js", "mjs", "php", "c", "sh", "jinja"];
const NOT_CODE: [&str; 6] =
    ["/tests/", "/benches/", "/bench/", "/examples/", "_tests.rs", "build.rs"];

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Lines {
    by_hand: usize,
    generated: usize,
}

pub(crate) fn print() -> Result<(), Failure> {
    let mut folders = BTreeMap::<String, Lines>::new();
    for file in sh::output(&["git", "ls-files"])?.lines() {
        let extension = file.rsplit('.').next().unwrap_or_default();
        let is_code = (LANGUAGES.contains(&extension) || file.starts_with("spec/"))
            && !NOT_CODE.iter().any(|part| file.contains(part))
            && !["tests/", "examples/"].iter().any(|folder| file.starts_with(folder));
        // A deleted file stays listed until the deletion is staged.
        let Some(text) = is_code.then(|| std::fs::read_to_string(file).ok()).flatten() else {
            continue;
        };
        for folder in folders_of(file) {
            let lines = folders.entry(folder).or_default();
            let count = if is_generated(&text) { &mut lines.generated } else { &mut lines.by_hand };
            *count += code_lines(&text, extension);
        }
    }
    println!("{:<24}{:>9}{:>11}", "folder", "by hand", "generated");
    for (folder, Lines { by_hand, generated }) in folders {
        println!("{folder:<24}{by_hand:>9}{generated:>11}");
    }
    Ok(())
}

/// The top folder, and for the core its floor.
fn folders_of(file: &str) -> Vec<String> {
    let mut parts = file.split('/');
    let top = parts.next().unwrap_or_default().to_owned();
    let floor = match (parts.next(), parts.next(), parts.next()) {
        (Some("src"), Some(floor), Some(_)) if top == "core" => Some(format!("core/src/{floor}")),
        _ => None,
    };
    std::iter::once(top).chain(floor).collect()
}

/// Whether a person does not write this file.
pub(crate) fn is_generated(text: &str) -> bool {
    let head = text.lines().take(6).filter(|line| !line.starts_with("//!"));
    head.collect::<String>().contains("Generated from")
}

/// Lines that are neither blank nor comments, without unit tests.
fn code_lines(text: &str, extension: &str) -> usize {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let comments: &[&str] =
        if matches!(extension, "py" | "sh" | "toml") { &["#"] } else { &["//", "/*", "*/", "* "] };
    let mut is_in_docstring = false;
    let counts = |line: &&str| {
        let line = line.trim();
        if extension == "py" && line.starts_with("\"\"\"") {
            is_in_docstring = !is_in_docstring && line.matches("\"\"\"").count() == 1;
            return false;
        }
        if is_in_docstring {
            is_in_docstring = !line.ends_with("\"\"\"");
            return false;
        }
        !line.is_empty() && line != "*" && !comments.iter().any(|mark| line.starts_with(mark))
    };
    code.lines().filter(counts).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let rust = "//! About.\n\nfn it() {\n    // why\n}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(code_lines(rust, "rs"), 2);
        let python = "\"\"\"About.\"\"\"\n# why\ndef it():\n    \"\"\"Do.\n\n    More.\n    \"\"\"\n    pass\n";
        assert_eq!(code_lines(python, "py"), 2);
        assert_eq!(code_lines("/*\n * About.\n */\nint x;\n", "c"), 1);
    }

    #[test]
    fn a_file_of_the_core_counts_for_its_floor() {
        assert_eq!(folders_of("core/src/base/hex.rs"), ["core", "core/src/base"]);
        assert_eq!(folders_of("core/src/lib.rs"), ["core"]);
        assert_eq!(folders_of("cli/src/main.rs"), ["cli"]);
    }
}
