//! Checks that the lists of files agree with their folders.
//!
//! A list is in the comment at the head of a source, or in a page. Each of its entries
//! begins a line with names in backquotes: `- `, the names, a colon and their
//! subject; or `| `, the names as the first cell of a table. A name is a file, or a
//! folder that ends in a slash and is there as a whole.

use std::collections::BTreeSet;

use crate::{Failure, sh};

/// The place of each list, and the folder that it lists. The list is the section
/// whose heading has the folder in backquotes, or else the whole page.
const LISTS: &[(&str, &str)] = &[
    ("base/src/lib.rs", "base/src"),
    ("ARCHITECTURE.md", "core/src"),
    ("ARCHITECTURE.md", "host/src"),
    ("core/src/client/mod.rs", "core/src/client"),
    ("core/src/config/mod.rs", "core/src/config"),
    ("core/src/journal/mod.rs", "core/src/journal"),
    ("core/src/model/mod.rs", "core/src/model"),
    ("core/src/model/error/mod.rs", "core/src/model/error"),
    ("core/src/model/json/mod.rs", "core/src/model/json"),
    ("core/src/model/observer/mod.rs", "core/src/model/observer"),
    ("core/src/model/operation/mod.rs", "core/src/model/operation"),
    ("core/src/model/request/mod.rs", "core/src/model/request"),
    ("core/src/signing/mod.rs", "core/src/signing"),
    ("core/src/token/mod.rs", "core/src/token"),
    ("transport/src/lib.rs", "transport/src"),
    ("transport/src/call/mod.rs", "transport/src/call"),
    ("sandbox/src/lib.rs", "sandbox/src"),
    ("cli/src/main.rs", "cli/src"),
    ("ffi-c/src/lib.rs", "ffi-c/src"),
    ("bindings-python/src/lib.rs", "bindings-python/src"),
    ("bindings-python/python/libpayments/README.md", "bindings-python/python/libpayments"),
    ("bindings-node/src/lib.rs", "bindings-node/src"),
    ("bindings-node/lib/README.md", "bindings-node/lib"),
    ("bindings-php/src/Internal/README.md", "bindings-php/src/Internal"),
    ("spec/README.md", "spec"),
];

/// Files that need no entry: the roots of Rust's modules, and unit tests.
const UNLISTED: [&str; 5] = ["lib.rs", "main.rs", "mod.rs", "tests.rs", "_tests.rs"];

/// A list that lacks a file, or has one that is gone.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (place, folder) in LISTS {
        let listed = sh::sources(&[&format!("{folder}/**")])?;
        let within = |path: String| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        let files: BTreeSet<_> = listed.into_iter().filter_map(|(it, _)| within(it)).collect();
        let names = names(section(&sh::read(place)?, folder));
        let own = place.rsplit('/').next().unwrap_or_default();
        for file in files.iter().filter(|it| it.as_str() != own && !is_named(&names, it)) {
            problems.push(format!(
                "{place} does not list {folder}/{file}: add a line \"- `{file}`: its subject\""
            ));
        }
        for name in names.iter().filter(|name| !is_there(&files, name)) {
            problems.push(format!("{place} lists {name}, which is not in {folder}: remove it"));
        }
    }
    Ok(problems)
}

/// The section about a folder, if a heading names it; otherwise the whole page.
fn section<'a>(page: &'a str, folder: &str) -> &'a str {
    let heading = format!("### `{folder}`");
    match page.split_once(&heading) {
        Some((_, rest)) => rest.split("\n#").next().unwrap_or(rest),
        None => page,
    }
}

/// The names in the entries of a list.
fn names(page: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in page.lines() {
        let line = line.trim_start_matches("//!").trim_start_matches("//").trim_start();
        let entry = match (line.strip_prefix("- `"), line.strip_prefix("| `")) {
            (Some(rest), _) => rest.split_once("`:").map(|(names, _)| names),
            (_, Some(rest)) => rest.split_once("` |").map(|(names, _)| names),
            _ => None,
        };
        // Every second part is between the names.
        let entry = entry.into_iter().flat_map(|it| it.split('`').step_by(2));
        names.extend(entry.map(str::to_owned));
    }
    names
}

/// Whether a list has a file: by its path, or with a folder.
fn is_named(names: &BTreeSet<String>, file: &str) -> bool {
    let is_above = |name: &String| name.ends_with('/') && file.starts_with(name.as_str());
    let name = file.rsplit('/').next().unwrap_or(file);
    UNLISTED.iter().any(|end| name == *end || (end.starts_with('_') && name.ends_with(end)))
        || names.contains(file)
        || names.iter().any(is_above)
}

fn is_there(files: &BTreeSet<String>, name: &str) -> bool {
    files.contains(name) || (name.ends_with('/') && files.iter().any(|it| it.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_list_begin_its_lines() {
        let head = "//! About `c.rs`:\n//!\n//! - `a.rs`, `b/`: two, as `d.rs`\n// - `e.rs`: one\n\
                    | `f.js`, `g/h.js` | `i.js` |\n- `j.rs` is no entry\n| Folder | none |\n";
        assert_eq!(Vec::from_iter(names(head)), ["a.rs", "b/", "e.rs", "f.js", "g/h.js"]);
    }

    #[test]
    fn a_file_is_listed_by_its_path_or_with_its_folder() {
        let names = BTreeSet::from(["a.rs", "b/", "c/d.rs"].map(str::to_owned));
        for listed in ["a.rs", "b/x.rs", "b/c/y.rs", "c/d.rs", "lib.rs", "z/z_tests.rs"] {
            assert!(is_named(&names, listed), "{listed}");
        }
        for missing in ["x/a.rs", "bb.rs", "c/e.rs", "d.rs", "lib.js"] {
            assert!(!is_named(&names, missing), "{missing}");
        }
        let files = BTreeSet::from(["a.rs", "b/x.rs"].map(str::to_owned));
        assert!(is_there(&files, "a.rs") && is_there(&files, "b/"));
        assert!(!is_there(&files, "c/d.rs") && !is_there(&files, "b"));
    }

    #[test]
    fn a_page_may_have_several_lists() {
        let page = "# A\n### `x/src`\n- `a`: one\n### `y/src`\n- `b`: two\n## More\n- `c`: no\n";
        assert_eq!(section(page, "y/src").trim(), "- `b`: two");
        assert_eq!(section("- `a`: one", "y/src"), "- `a`: one");
    }
}
