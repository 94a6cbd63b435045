//! Checks that every relative link in a Markdown file has a target, and that
//! every source that ARCHITECTURE.md names is there.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Failure, sh};

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The relative links without a target, in all Markdown files.
pub(crate) fn dangling() -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (page, text) in sh::sources(&["*.md"])? {
        let missing = without_target(Path::new(&page), &text, read);
        found.extend(missing.into_iter().map(|link| format!("{page}: no target for ({link})")));
    }
    Ok(found)
}

/// The sources that ARCHITECTURE.md names by the end of their paths, and that
/// are not there.
pub(crate) fn missing_sources() -> Result<Vec<String>, Failure> {
    let sources = sh::output(&["git", "ls-files", "--cached", "--others", "--exclude-standard"])?;
    let missing = without_file(&sh::read(ARCHITECTURE)?, &sources);
    Ok(missing.into_iter().map(|name| format!("{ARCHITECTURE}: there is no {name}")).collect())
}

/// The names of Rust sources in code of `text` that no line of `paths` ends in.
fn without_file(text: &str, paths: &str) -> Vec<String> {
    let is_there =
        |name: &str| paths.lines().any(|path| Path::new(path).ends_with(Path::new(name)));
    let code = text.split('`').skip(1).step_by(2);
    code.filter(|code| code.ends_with(".rs") && !is_there(code)).map(str::to_owned).collect()
}

/// The text of a file; empty for a folder.
fn read(path: &Path) -> Option<String> {
    if path.is_dir() {
        return Some(String::new());
    }
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn without_target(page: &Path, text: &str, read: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let has_target = |link: &str| {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let place = page.with_file_name(path);
        let target = if path.is_empty() { Some(text.to_owned()) } else { read(&place) };
        let is_markdown = path.is_empty() || path.ends_with(".md");
        target.is_some_and(|it| anchor.is_empty() || !is_markdown || anchors(&it).contains(anchor))
    };
    links(text).into_iter().filter(|link| !has_target(link)).collect()
}

/// The targets of a page's inline links, except those with a scheme.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in outside_of_fences(text).split("\n\n") {
        // Every second part is inline code.
        let prose: String = paragraph.split('`').step_by(2).collect();
        let ends = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n']).next());
        found.extend(ends.filter(|link| !link.contains(':')).map(str::to_owned));
    }
    found
}

/// The anchors of a page: those GitHub derives from its headings, and
/// `<a id="…">`.
fn anchors(text: &str) -> BTreeSet<String> {
    let text = outside_of_fences(text);
    let ids = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut anchors: BTreeSet<String> = ids.map(str::to_owned).collect();
    for heading in text.lines().filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
        let anchor: String = kept.map(|it| if it == ' ' { '-' } else { it }).collect();
        let mut numbered = anchor.clone();
        let mut number = 0;
        while !anchors.insert(numbered) {
            number += 1;
            numbered = format!("{anchor}-{number}");
        }
    }
    anchors
}

fn outside_of_fences(text: &str) -> String {
    let mut is_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A `page`, and its (headings)
[here](#a-page-and-its-headings), [below](#twice-1), [gone](#thrice)

## Twice
[file](../a.md#top), [no anchor](../a.md#bottom), [no file](a.md), [folder](../folder)

## Twice
| [`code`](b.md \"title\") | `[code](nowhere.md)` | [web](https://example.com/x.md) |
```text
[fenced](nowhere.md)
# fenced
```
[a heading in code](#fenced), [source](../a.rs#L1)
";

    #[test]
    fn links_without_a_target_are_found() {
        let read = |path: &Path| match path.to_str() {
            Some("docs/../a.md") => Some("<a id=\"top\"></a>".to_owned()),
            Some("docs/../folder" | "docs/../a.rs") => Some(String::new()),
            _ => None,
        };
        let missing = without_target(Path::new("docs/page.md"), PAGE, read);
        assert_eq!(missing, ["#thrice", "../a.md#bottom", "a.md", "b.md", "#fenced"]);
    }

    #[test]
    fn sources_are_named_by_the_end_of_their_paths() {
        let text = "`client/call.rs` calls `wait.rs` and `sleep.rs`, not `all.rs` or call.rs";
        let paths = "core/src/client/call.rs\ncore/src/call/wait.rs\n";
        assert_eq!(without_file(text, paths), ["sleep.rs", "all.rs"]);
    }

    #[test]
    fn anchors_are_those_of_github() {
        let text = "# What `payments.h` is\n## `PAYMENTS_LOG=debug`\n### Naïve — really?\n";
        let made = ["naïve--really", "payments_logdebug", "what-paymentsh-is"];
        assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), made);
    }
}
