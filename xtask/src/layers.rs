//! Checks that imports within a crate point one way.
//!
//! The core and the addon of Node have floors, whose order is written here: a
//! folder or a file imports only those below it.

use std::collections::BTreeSet;

use crate::{Failure, sh};

/// A folder, and its modules from the lowest to the highest.
type Floors = (&'static str, &'static [&'static str]);

/// ARCHITECTURE.md says what each of them is for.
const FLOORS: [Floors; 3] = [
    (
        "core/src",
        &[
            "base",
            "model",
            "call",
            "transport",
            "signing",
            "token",
            "journal",
            "config",
            "client",
            "bridge",
        ],
    ),
    (
        "core/src/model",
        &[
            "json",
            "amount",
            "currency",
            "report",
            "operation",
            "call_response",
            "diagnosis",
            "error",
            "observer",
            "rules",
            "card_guard",
            "lint",
            "request",
        ],
    ),
    ("bindings-node/src", &["message", "response", "port", "callbacks", "tools", "client"]),
];

/// What is wrong with the imports, one text for each.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (folder, floors) in FLOORS {
        let prefix = match folder.split_once("/src/") {
            Some((_, path)) => format!("crate::{}::", path.replace('/', "::")),
            None => "crate::".to_owned(),
        };
        let list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder];
        for file in sh::output(&list)?.lines().filter(|file| file.ends_with(".rs")) {
            // A deleted file stays listed until the deletion is staged.
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            let path = file[folder.len() + 1..].trim_end_matches(".rs");
            let module = path.split('/').next().unwrap_or_default();
            if matches!(module, "lib" | "mod") {
                continue;
            }
            let Some(own) = place(floors, module) else {
                problems
                    .push(format!("{file} is on no floor; add {module} to xtask/src/layers.rs"));
                continue;
            };
            for name in imported(&prefix, &text) {
                match place(floors, &name) {
                    Some(floor) if floor <= own => {}
                    Some(_) => {
                        problems.push(format!("{file} imports {prefix}{name}, which is above"))
                    }
                    None => problems.push(format!("{file} imports {prefix}{name} past the floors")),
                }
            }
        }
    }
    Ok(problems)
}

fn place(floors: &[&str], module: &str) -> Option<usize> {
    floors.iter().position(|floor| *floor == module)
}

/// What follows `prefix` wherever `text` names it, one word each. Comments and
/// unit tests are exempt.
fn imported(prefix: &str, text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let is_word = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    let names = code.flat_map(|line| line.split(prefix).skip(1)).map(|rest| {
        let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        rest[..end].to_owned()
    });
    // A group has no name of its own; rustfmt makes one of the imports of a module.
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_found_except_in_comments_and_tests() {
        let text = "//! crate::config\nuse crate::json::{Json};\nlet it = crate::error::of();\n\
                    use crate::Client;\nuse crate::{token, wait};\n#[cfg(test)]\nmod tests {\n    \
                    use crate::client::Client;\n";
        let found = imported("crate::", text);
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            ["", "Client", "error", "json"]
        );
        let inside =
            imported("crate::model::", "use crate::model::json::Json;\nuse crate::base::hex;");
        assert_eq!(inside.into_iter().collect::<Vec<_>>(), ["json"]);
    }

    #[test]
    fn a_floor_is_found_by_its_name() {
        assert_eq!(place(&["base", "model"], "model"), Some(1));
        assert_eq!(place(&["base", "model"], "Client"), None);
    }
}
