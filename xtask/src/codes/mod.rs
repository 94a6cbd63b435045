//! Checks that `docs/errors.md` lists exactly the error codes of the sources.

mod calls;
mod makers;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Failure, sh};

const PAGE: &str = "docs/errors.md";

/// The folders to scan. Each has its own error constructors.
const FOLDERS: [&str; 8] = [
    "core/src",
    "ffi-c/src",
    "cli/src",
    "bindings-python/src",
    "bindings-python/python",
    "bindings-node/src",
    "bindings-node/lib",
    "bindings-php/src",
];

/// The codes the command derives from clap's error kinds (`code_of` in
/// `cli/src/failure.rs`).
const OF_CLAP: [&str; 11] = [
    "invalid_value",
    "unknown_argument",
    "invalid_subcommand",
    "no_equals",
    "value_validation",
    "too_many_values",
    "too_few_values",
    "wrong_number_of_values",
    "argument_conflict",
    "missing_required_argument",
    "invalid_utf8",
];

/// Codes, each with a file that contains it.
type Found = BTreeMap<String, String>;

/// The problems found, one line per code.
pub(crate) fn undocumented() -> Result<Vec<String>, Failure> {
    let (codes, mut broken) = of_sources()?;
    let page = sh::read(PAGE)?;
    let entries = anchors(&page);
    let named: BTreeSet<&str> = entries.iter().copied().collect();
    for (code, file) in &codes {
        if !named.contains(code.as_str()) {
            broken.push(format!("{PAGE} has no entry for the error code {code} of {file}"));
        }
    }
    for code in named.iter().filter(|code| !codes.contains_key(**code)) {
        broken.push(format!("{PAGE} has an entry for {code}, and no source has that error code"));
    }
    let mut seen = BTreeSet::new();
    for code in entries.iter().filter(|code| !seen.insert(**code)) {
        broken.push(format!("{PAGE} has two entries for the error code {code}"));
    }
    Ok(broken)
}

fn of_sources() -> Result<(Found, Vec<String>), Failure> {
    let mut found: Found =
        OF_CLAP.iter().map(|code| ((*code).to_owned(), "clap".to_owned())).collect();
    let mut broken = Vec::new();
    for folder in FOLDERS {
        let list = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
        let mut files = Vec::new();
        for name in sh::output(&[&list[..], &[folder]].concat())?.split_terminator('\0') {
            let Some(language) = tokens::Language::of(name) else { continue };
            // A deleted file stays listed until the deletion is staged.
            let Ok(source) = std::fs::read_to_string(name) else { continue };
            files.push((name.to_owned(), language, source));
        }
        let (codes, unread) = calls::codes_of(&files);
        if codes.is_empty() {
            broken.push(format!("no error code was found in {folder}: its constructors changed"));
        }
        broken.extend(unread);
        found.extend(codes);
    }
    Ok((found, broken))
}

/// The page's entries: `<a id="code"></a>`, and headings that are codes.
fn anchors(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in page.lines() {
        found.extend(line.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()));
        let heading = line.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`'));
        found.extend(heading);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_anchors_are_entries() {
        let page =
            "## Kind\n### `one`\n| <a id=\"two\"></a>`two` | <a id=\"three\"></a> |\n### Four";
        assert_eq!(anchors(page), ["one", "two", "three"]);
    }
}
