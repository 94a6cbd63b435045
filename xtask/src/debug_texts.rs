//! Checks that no message has the `Debug` text of anything but a string.

use crate::{Failure, sh};

const SOURCES: [&str; 9] = [
    "base/src/*.rs",
    "transport/src/*.rs",
    "core/src/*.rs",
    "host/src/*.rs",
    "cli/src/*.rs",
    "ffi-c/src/*.rs",
    "bindings-python/src/*.rs",
    "bindings-node/src/*.rs",
    "sandbox/src/*.rs",
];

/// Names of strings and paths, which `Debug` puts in quotes and escapes.
const TEXTS: [&str; 11] = [
    "file",
    "folder",
    "kid",
    "label",
    "name",
    "nearest",
    "parameter",
    "path",
    "reference",
    "text",
    "value",
];

/// Others that may be shown.
const EXEMPT: [(&str, &[&str]); 2] = [
    // Our own states and counts.
    ("cli/src/demo/checks.rs", &["wanted", "got"]),
    // Made into the names that the standard has.
    ("core/src/signing/signer/pkcs11/refusal.rs", &["function", "code"]),
];

/// `Debug` forms of Rust values, in the files that list messages.
const WRITTEN: &str = "^[!>] .*((Some|Ok|Err|Other|Error|Custom|Os)\\(|\
                       (Some|Ok|Err|Other|Custom|Os|[A-Z][A-Za-z]*(Context|Error)) \\{|\
                       \\[[0-9]{1,3}, [0-9]{1,3}, [0-9])";

pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let sources = sh::sources(&SOURCES)?.into_iter();
    for (file, text) in sources.filter(|(file, _)| !file.ends_with("tests.rs")) {
        found
            .extend(shown(&text).filter(|(_, name)| !may_show(&file, name)).map(|(line, name)| {
            format!(
                "{file}:{line}: {{{name}:?}} in a message: write it in words; a text may be called \
                 one of {}",
                TEXTS.join(", ")
            )
        }));
    }
    let written = sh::outcome(&["git", "grep", "-nE", "-e", WRITTEN, "--", "tests/messages"])?.1;
    found.extend(written.lines().map(|line| format!("a Debug text in a message: {line}")));
    Ok(found)
}

/// The line and the name of each value that the code shows with `Debug`.
fn shown(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().enumerate().flat_map(|(index, line)| {
        let ends = [":?}", ":#?}"].into_iter().flat_map(|end| line.match_indices(end));
        let names = ends.filter_map(|(at, _)| line[..at].rsplit_once('{')).map(|(_, name)| name);
        names.map(move |name| (index + 1, name))
    })
}

fn may_show(file: &str, name: &str) -> bool {
    let is_exempt = |(of, names): &(&str, &[&str])| *of == file && names.contains(&name);
    TEXTS.contains(&name) || EXEMPT.iter().any(is_exempt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_shown_are_found_by_their_names() {
        let text = "format!(\"{path:?} {error:?}\")\nformat!(\"{:?} {it:#?}\", error)\n{x}\n\
                    #[cfg(test)]\nmod tests {\n    panic!(\"{other:?}\");\n}\n";
        let found: Vec<_> = shown(text).collect();
        assert_eq!(found, [(1, "path"), (1, "error"), (2, ""), (2, "it")]);
        let allowed: Vec<_> = found.iter().map(|(_, name)| may_show("a.rs", name)).collect();
        assert_eq!(allowed, [true, false, false, false]);
        assert!(may_show("cli/src/demo/checks.rs", "got") && !may_show("a.rs", "got"));
    }
}
