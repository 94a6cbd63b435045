//! Checks which internals of the core `payments-host` uses, and that no other
//! crate uses them.

use std::collections::BTreeSet;

use crate::{Failure, sh};

const FILE: &str = "core/src/for_host.rs";
/// With more, the two would be one crate.
const MOST: usize = 30;
/// All names in it.
const NAMES: [&str; 20] = [
    "AnyRequest",
    "Waiters",
    "Waker",
    "ClientInside",
    "ClientJournal",
    "ContextParts",
    "ErrorParts",
    "authority_of",
    "blocked_by",
    "event_text",
    "journal_failed",
    "journals_unsupported",
    "looks_like_hash",
    "meant_member",
    "of_panic",
    "qr_code",
    "shown_amount",
    "text_of_file",
    "unknown_operation",
    "without_groups",
];
/// The sandbox is below the host, shows amounts, and reads responses like a client.
const OTHERS: (&[&str], [&str; 2]) = (
    &["sandbox/*.rs", "cli/*.rs", "ffi-c/*.rs", "bindings-python/*.rs", "bindings-node/*.rs"],
    ["for_host::shown_amount", "for_host::AnyRequest"],
);

/// The mistakes, one text for each.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    let names = names(&sh::read(FILE)?);
    let listed: BTreeSet<_> = NAMES.into_iter().map(str::to_owned).collect();
    for name in names.symmetric_difference(&listed) {
        problems.push(format!("{FILE} and xtask/src/for_host.rs differ in {name}"));
    }
    if names.len() > MOST {
        problems.push(format!("{FILE} has more than {MOST} names"));
    }
    let (folders, shared) = OTHERS;
    for (file, text) in sh::sources(folders)? {
        let taken = shared.iter().fold(text, |text, name| text.replace(name, ""));
        if taken.contains("for_host::") {
            problems.push(format!("{file} takes what is for payments-host"));
        }
    }
    Ok(problems)
}

/// The names that a module makes public.
fn names(text: &str) -> BTreeSet<String> {
    let text = text.split("\nimpl ").next().unwrap_or_default();
    let item = |line: &str| {
        let rest = ["pub fn ", "pub trait "].iter().find_map(|start| line.strip_prefix(start))?;
        rest.split(|it: char| it != '_' && !it.is_alphanumeric()).next().map(str::to_owned)
    };
    let uses = text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let used = uses.flat_map(|path| {
        let names = path.rsplit("::").next().unwrap_or_default();
        let group = path.split_once('{').map(|(_, group)| group.trim_end_matches('}'));
        group.unwrap_or(names).split(',').map(|it| it.trim().to_owned()).collect::<Vec<_>>()
    });
    used.chain(text.lines().filter_map(item)).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_name_is_found() {
        let text = "pub use crate::a::b;\npub use crate::c::{\n    d, E,\n};\nuse crate::f;\n\
                    pub fn g(h: u8) {}\npub trait I: Sized {\n    fn j();\n}\n\
                    \nimpl I for E {\n    fn j() {}\n}\n";
        let found = names(text);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["E", "I", "b", "d", "g"]);
    }
}
