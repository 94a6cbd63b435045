//! Checks that the error codes of the sources are those of `spec/errors`.
//!
//! In Rust, one that is not described does not compile.

use std::collections::BTreeSet;

use crate::{Failure, sh};

/// The sources that make errors, and how those of each language name a code.
const SOURCES: [(&str, &str); 9] = [
    ("core/src/*.rs", "ErrorCode::"),
    ("ffi-c/src/*.rs", "ErrorCode::"),
    ("cli/src/*.rs", "ErrorCode::"),
    ("bindings-python/src/*.rs", "ErrorCode::"),
    ("bindings-node/src/*.rs", "ErrorCode::"),
    ("bindings-php/src/*.php", "ErrorCode::"),
    ("bindings-node/lib/*.js", "ErrorCode."),
    ("bindings-python/python/*.py", "_error_codes."),
    ("bindings-python/python/*.py", "from ._error_codes import "),
];

/// What every file says that names all codes.
const MADE_OF_THE_DESCRIPTION: &str = "Generated from spec/errors ";

/// Has a function for a code, which clippy refuses unless something calls it.
const FUNCTIONS: &str = "/error/messages.rs";

/// Codes that are used and not described, one line for each. Those that are
/// described and not used are printed as warnings.
pub(crate) fn undescribed() -> Result<Vec<String>, Failure> {
    let described = described()?;
    let mut used = BTreeSet::new();
    let mut broken = Vec::new();
    for (sources, prefix) in SOURCES {
        let list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", sources];
        for file in sh::output(&list)?.lines() {
            // A deleted file stays listed until the deletion is staged.
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            if text.contains(MADE_OF_THE_DESCRIPTION) && !file.ends_with(FUNCTIONS) {
                continue;
            }
            for code in named(&text, prefix) {
                if !described.contains(&code) {
                    broken.push(format!("{file}: no file of spec/errors describes {code}"));
                }
                used.insert(code);
            }
        }
    }
    for code in described.difference(&used) {
        eprintln!("warning: spec/errors describes {code}, which no source names");
    }
    Ok(broken)
}

fn described() -> Result<BTreeSet<String>, Failure> {
    let mut codes = BTreeSet::new();
    for file in sh::output(&["git", "ls-files", "spec/errors"])?.lines() {
        let text = sh::read(file)?;
        let tables = text.lines().filter_map(|line| line.strip_prefix("[section.code."));
        codes.extend(tables.map(|rest| rest.trim_end_matches(']').to_owned()));
    }
    Ok(codes)
}

/// The codes whose constants stand after `prefix`.
fn named(text: &str, prefix: &str) -> Vec<String> {
    let in_name =
        |letter: char| letter == '_' || letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let constants = text.split(prefix).skip(1).map(|rest| match rest.find(|it| !in_name(it)) {
        Some(end) => &rest[..end],
        None => rest,
    });
    constants.filter(|name| name.len() > 1).map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_found_by_their_prefix() {
        let text =
            "Err(refused(ErrorCode::KEY_IS_PKCS12, message)) ErrorCode::Corrupt ErrorCode::ZERO";
        assert_eq!(named(text, "ErrorCode::"), ["key_is_pkcs12", "zero"]);
    }
}
