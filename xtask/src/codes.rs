//! Checks that the error codes of the sources are those of `spec/errors`.
//!
//! In Rust, one that is not described does not compile.

use std::collections::BTreeSet;

use crate::{Failure, sh};

/// The sources that make errors, and how those of each language name a code.
const SOURCES: [(&str, &str); 10] = [
    ("core/src/*.rs", "ErrorCode::"),
    ("host/src/*.rs", "ErrorCode::"),
    ("ffi-c/src/*.rs", "ErrorCode::"),
    ("cli/src/*.rs", "ErrorCode::"),
    ("bindings-python/src/*.rs", "ErrorCode::"),
    ("bindings-node/src/*.rs", "ErrorCode::"),
    ("bindings-php/src/*.php", "ErrorCode::"),
    ("bindings-node/lib/*.js", "ErrorCode."),
    ("bindings-python/python/*.py", "_error_codes."),
    ("bindings-python/python/*.py", "from ._error_codes import "),
];

/// A text in every file that names all codes.
const MADE_OF_THE_DESCRIPTION: &str = "Generated from spec/errors ";

/// Files with functions and constants for messages, which clippy refuses unless
/// something uses them.
const MESSAGES_IN_RUST: &str = "/messages.rs";

/// The files of messages, and the codes that none of them shows, each with the
/// reason.
const MESSAGES: &str = "tests/messages";
const UNSHOWN: [(&str, &[&str]); 5] = [
    ("a bug", &["internal_error"]),
    (
        "a lack that cannot be made here, or not at a certain moment",
        &["forked", "resources_exhausted"],
    ),
    ("another build", &["not_in_this_build"]),
    ("only programs in Rust or C can do that", &["invalid_argument"]),
    ("only observers get it, in words", &["entry_missing"]),
];

/// Codes whose message no file of messages shows, and superfluous exceptions, one
/// line for each.
pub(crate) fn unshown() -> Result<Vec<String>, Failure> {
    let mut shown = BTreeSet::new();
    for (_, text) in sh::sources(&[MESSAGES])? {
        shown.extend(shown_in(&text));
    }
    let described = described("spec")?;
    let excepted: BTreeSet<_> =
        UNSHOWN.iter().flat_map(|(_, codes)| *codes).map(|code| (*code).to_owned()).collect();
    let expected: BTreeSet<_> = described.difference(&excepted).cloned().collect();
    let missing = expected.difference(&shown);
    let missing = missing.map(|code| format!("{MESSAGES}: no case shows the message of {code}"));
    let idle = excepted.iter().filter(|code| shown.contains(*code) || !described.contains(*code));
    let idle = idle.map(|code| format!("xtask/src/codes.rs: {code} is no exception; remove it"));
    Ok(missing.chain(idle).collect())
}

/// The codes of the errors that a file of messages shows: `code: X`, `kind/X, outcome`,
/// `"code":"X"`, and `(X)` or `(X, certain)` of a finding.
fn shown_in(text: &str) -> BTreeSet<String> {
    let is_part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    let text = text.replace("\": \"", "\":\"");
    let ways = [
        ("! code: ", "\n"),
        ("/", ", "),
        ("\"code\":\"", "\""),
        ("(", ")"),
        ("(", ", certain)"),
        ("(", ", perhaps)"),
    ];
    let found = ways.into_iter().flat_map(|(before, after)| {
        text.split(before).skip(1).filter_map(move |rest| {
            let end = rest.find(|it| !is_part(it))?;
            rest[end..].starts_with(after).then(|| rest[..end].to_owned())
        })
    });
    found.collect()
}

/// Codes that are used and not described, one line for each. Those that are
/// described and not used are printed as warnings.
pub(crate) fn undescribed() -> Result<Vec<String>, Failure> {
    let described = described("spec/errors")?;
    let mut used = BTreeSet::new();
    let mut broken = Vec::new();
    for (sources, prefix) in SOURCES {
        for (file, text) in sh::sources(&[sources])? {
            if text.contains(MADE_OF_THE_DESCRIPTION) && !file.ends_with(MESSAGES_IN_RUST) {
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

/// The codes of errors, and of findings, in a folder of the description.
fn described(folder: &str) -> Result<BTreeSet<String>, Failure> {
    let mut codes = BTreeSet::new();
    for (file, text) in sh::sources(&[folder])? {
        let tables = text.lines().filter_map(|line| {
            line.strip_prefix("[section.code.").or_else(|| {
                line.strip_prefix("[finding.").filter(|_| file.ends_with("findings.toml"))
            })
        });
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
    fn shown_codes_are_found_in_each_form() {
        let text = "! code: locked\n! E: failed [config/required, not_executed]\n\
                    > {\"code\":\"missing\"}\n! is no Pix key (pix_key_form)\n$ echo code: x";
        let found = shown_in(text);
        assert_eq!(
            found,
            ["locked", "missing", "pix_key_form", "required"].map(str::to_owned).into()
        );
    }

    #[test]
    fn constants_are_found_by_their_prefix() {
        let text =
            "Err(refused(ErrorCode::PKCS11_FAILED, message)) ErrorCode::Corrupt ErrorCode::LOCKED";
        assert_eq!(named(text, "ErrorCode::"), ["pkcs11_failed", "locked"]);
    }
}
