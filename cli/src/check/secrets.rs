//! Characters in a credential that were probably not issued with it.

use std::fs::File;

use payments_base::bounded_file::read_at_most;
use payments_base::invisible::is_invisible;
use payments_core::config::{FIELDS, Shape};
use payments_core::inside::text_of_file;

use super::{ConfiguredMembers, Report};

/// No secret is as long.
const LARGEST_FILE: usize = 64 * 1024;

/// Quotes that surround a text, as shells and documents write them.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('„', '“'), ('‘', '’'), ('«', '»')];

/// Warns of characters in credentials that somebody added by mistake. Says
/// neither where they are nor how many.
pub(super) fn check(report: &mut Report, given: &ConfiguredMembers) {
    // A PEM text has line breaks, and its own checks.
    let secrets = FIELDS.iter().filter(|it| it.shape == Shape::Secret && it.name != "key");
    let mut are_clean = Vec::new();
    for name in secrets.map(|field| field.name).chain(["client_id", "kid"]) {
        if let Some(text) = given.text(name) {
            are_clean.push(judge(report, name, text));
        }
        let file = format!("{name}_file");
        // The library reports a file that it cannot read.
        let contents = given.path(&file).and_then(|path| File::open(path).ok());
        let contents = contents.and_then(|it| read_at_most(it, LARGEST_FILE).ok().flatten());
        if let Some(text) = contents.as_ref().and_then(|it| str::from_utf8(it).ok()) {
            are_clean.push(judge(report, &file, text_of_file(text)));
        }
    }
    if !are_clean.is_empty() && are_clean.iter().all(|is_clean| *is_clean) {
        report.ok("credentials", "no quotes, white space or invisible characters added");
    }
}

/// Returns whether nothing is wrong.
fn judge(report: &mut Report, about: &str, text: &str) -> bool {
    let inner = text.trim();
    let has_quotes = QUOTES
        .iter()
        .any(|(open, close)| inner.strip_prefix(*open).is_some_and(|rest| rest.ends_with(*close)));
    let is_unseen = |c: char| is_invisible(c) || c.is_control() || (c.is_whitespace() && c != ' ');
    let is_foreign = |c: char| !c.is_ascii() && !is_unseen(c);
    let mistakes = [
        (inner != text, "has white space at its beginning or end"),
        (has_quotes, "has quotes around it"),
        (inner.contains(is_unseen), "has invisible characters"),
    ];
    for (_, what) in mistakes.iter().filter(|(is_so, _)| *is_so) {
        report.warn(about, *what, "remove what does not belong to it");
    }
    let has_foreign = inner.contains(is_foreign);
    if has_foreign {
        let advice = match about.strip_suffix("_file").unwrap_or(about) {
            "client_id" | "client_secret" => {
                "if they were issued with it and the token server refuses it, see \
                 client_auth_encoding"
            }
            _ => "check that they were issued with it",
        };
        report.warn(about, "has letters beyond ASCII", advice);
    }
    !has_foreign && mistakes.iter().all(|(is_so, _)| !is_so)
}
