//! Compares the description of codes with the errors that tests of all languages
//! expect.

use std::collections::BTreeSet;

use super::ErrorPage;
use crate::spec;

/// The files whose errors have a kind, a code and an outcome.
const EXPECTED: [&str; 3] = ["tests/messages", "tests/scenarios", "tests/vectors"];
const MORE_EXPECTED: [&str; 3] = [
    "tests/journal_commands.json",
    "tests/journal_databases.json",
    "core/tests/it/calls/phases.txt",
];

/// Parts of messages that no file of messages shows: why not.
const UNSHOWN: [(&str, &[&str]); 5] = [
    ("the files name the form of such a key", &["this is not recognized as a public key"]),
    (
        "only programs in Rust or C can do that",
        &[
            "; in a name, write",
            "128 levels deep",
            "passes through a value",
            "names an element",
            "duplicate member; remove one of them",
            "the request has no valid method",
            "body is NULL",
        ],
    ),
    (
        "a lack that cannot be made here, or not at a certain moment",
        &[
            "before the request; check that the address",
            "file descriptor",
            "no random numbers",
            "was forked while its parent",
            "that this process used before",
        ],
    ),
    ("another build", &["needs the feature redis"]),
    ("only observers get it, in words", &["is not in the journal; check who deleted it"]),
];

/// Kind, code and outcome of an error.
type Triple = (String, String, String);

fn is_part(it: char) -> bool {
    it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_'
}

/// The name at the start of a text.
fn name(text: &str) -> &str {
    text.split(|it| !is_part(it)).next().unwrap_or_default()
}

/// The errors in a text: `kind/code/outcome`, `kind/code, outcome`, and members of the
/// same object or block of lines.
fn errors_in(text: &str) -> Vec<Triple> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('/') {
        let before = &text[..at];
        let kind = &before[before.trim_end_matches(is_part).len()..];
        let code = name(&text[at + 1..]);
        let rest = &text[at + 1 + code.len()..];
        let outcome = rest.strip_prefix('/').or_else(|| rest.strip_prefix(", ")).map(name);
        if let Some(outcome) = outcome {
            found.push((kind.to_owned(), code.to_owned(), outcome.to_owned()));
        }
    }
    let spaced = text.replace("\": \"", "\":\"");
    for (blocks, before, after) in [
        (spaced.split(['{', '}']).collect::<Vec<_>>(), "\"", "\":\""),
        (text.split("\n$ ").collect::<Vec<_>>(), "! ", ": "),
    ] {
        for block in blocks {
            let member = |key: &str| {
                let (_, rest) = block.split_once(&format!("{before}{key}{after}"))?;
                Some(name(rest).to_owned())
            };
            if let (Some(kind), Some(code), Some(outcome)) =
                (member("kind"), member("code"), member("outcome"))
            {
                found.push((kind, code, outcome));
            }
        }
    }
    found.retain(|(_, _, outcome)| ["not_executed", "unknown", "executed"].contains(&&**outcome));
    found
}

fn described() -> Vec<ErrorPage> {
    spec::read().unwrap_or_else(|mistakes| panic!("{mistakes}")).errors
}

fn texts() -> impl Iterator<Item = spec::Text> {
    EXPECTED
        .iter()
        .flat_map(|it| spec::folder(it))
        .chain(MORE_EXPECTED.iter().map(|it| spec::file(it)))
}

#[test]
fn errors_have_the_kinds_and_outcomes_of_their_codes() {
    let pages = described();
    let codes: Vec<_> = pages.iter().flat_map(|it| &it.section).flat_map(|it| &it.code).collect();
    let mut seen = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for text in texts() {
        for (kind, code, outcome) in errors_in(&text.text) {
            let Some((_, entry)) = codes.iter().find(|(name, _)| **name == code) else { continue };
            match entry.kinds.get(&kind) {
                Some(outcomes) if outcomes.contains(&outcome) => drop(seen.insert(code)),
                _ => drop(wrong.insert(format!("{}: {kind}/{code}, {outcome}", text.path))),
            }
        }
    }
    assert!(wrong.is_empty(), "spec/errors has no such kind or outcome:\n{wrong:#?}");
    assert!(seen.len() > 80, "{seen:?}");
}

#[test]
fn examples_are_messages_that_errors_have() {
    let shown: String =
        spec::folder("tests/messages").iter().map(|it| it.text.replace("\\\"", "\"")).collect();
    // Names in backticks are those of the caller's language.
    let without_names = |text: &str| text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let lines: Vec<_> = shown.lines().map(without_names).collect();
    let has = |example: &str| {
        lines.iter().any(|line| {
            let mut rest = line.as_str();
            without_names(example).split('…').all(|part| match rest.split_once(part) {
                Some((_, after)) => {
                    rest = after;
                    true
                }
                None => false,
            })
        })
    };
    let excepted: Vec<_> = UNSHOWN.iter().flat_map(|(_, texts)| *texts).collect();
    let pages = described();
    let codes = pages.iter().flat_map(|it| &it.section).flat_map(|it| &it.code);
    let missing: Vec<_> = codes
        .flat_map(|(code, it)| it.examples.iter().map(move |text| format!("{code}: {text}")))
        .filter(|it| {
            !has(it.split_once(": ").unwrap().1) && !excepted.iter().any(|x| it.contains(**x))
        })
        .collect();
    assert!(missing.is_empty(), "no file of messages has\n{missing:#?}");
}
