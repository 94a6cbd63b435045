//! The book of `docs/`: its sources, whose links work in it, and the check of
//! the built pages.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::{Failure, manifests, sh};

const SUMMARY: &str = "docs/SUMMARY.md";
const IMAGES: &str = "docs/images";

/// Writes the sources of the book: the pages that SUMMARY.md lists, at their
/// places in the repository, and the pictures. Links to other files become
/// links to the repository on the web.
pub(crate) fn write(folder: &str) -> Result<(), Failure> {
    let folder = Path::new(folder);
    sh::empty_folder(folder)?;
    let summary = sh::read(SUMMARY)?;
    let repository = manifests::repository()?;
    let pages = pages(&summary);
    // Beside the pages, so the links of SUMMARY.md begin at the root.
    let listed = relinked(&summary, |link| Some(place(SUMMARY, link)));
    put(&folder.join("SUMMARY.md"), listed.as_bytes())?;
    for page in &pages {
        let text = relinked(&sh::read(page)?, |link| outside(page, link, &pages, &repository));
        put(&folder.join(page), text.as_bytes())?;
    }
    for image in files(Path::new(IMAGES), "png")? {
        let bytes = std::fs::read(&image).map_err(|error| at(&image, error))?;
        put(&folder.join(&image), &bytes)?;
    }
    Ok(())
}

/// The pages of `docs/` that SUMMARY.md does not list.
pub(crate) fn unlisted() -> Result<Vec<String>, Failure> {
    let pages = pages(&sh::read(SUMMARY)?);
    let found = sh::output(&["git", "ls-files", "--cached", "--others", "--", "docs/*.md"])?;
    let is_missing = |page: &&str| *page != SUMMARY && !pages.contains(*page);
    let missing = found.lines().filter(is_missing);
    Ok(missing.map(|page| format!("{SUMMARY} does not list {page}")).collect())
}

/// Checks that each link of a built book has a target, with its anchor.
pub(crate) fn check(folder: &str) -> Result<(), Failure> {
    let folder = Path::new(folder);
    let mut built = BTreeMap::new();
    for file in files(folder, "html")? {
        built.insert(file.clone(), sh::read(&file)?);
    }
    // It is shown at any address, and so has a base.
    built.retain(|file, _| file.file_name() != Some(OsStr::new("404.html")));
    let dangling: Vec<String> = built
        .iter()
        .flat_map(|(page, text)| {
            let missing = attributes(text, "href").chain(attributes(text, "src"));
            let missing = missing.filter(|link| !leads_somewhere(page, link, &built));
            missing.map(|link| format!("{}: no target for {link}", page.display()))
        })
        .collect();
    match (built.is_empty(), dangling.is_empty()) {
        (true, _) => Err(format!("{}: there is no book", folder.display())),
        (_, true) => Ok(()),
        _ => Err(dangling.join("\n")),
    }
}

fn leads_somewhere(page: &Path, link: &str, built: &BTreeMap<PathBuf, String>) -> bool {
    if link.contains(':') {
        return true; // Another host's.
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => page.to_owned(),
        _ => normal(&page.with_file_name(path)),
    };
    match built.get(&target) {
        Some(text) => anchor.is_empty() || attributes(text, "id").any(|id| id == anchor),
        None => anchor.is_empty() && target.is_file(),
    }
}

/// The values of an attribute of the elements of a page.
fn attributes<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let before = format!(" {name}=\"");
    let ends: Vec<_> = text.match_indices(&before).map(|(at, it)| at + it.len()).collect();
    ends.into_iter().filter_map(move |at| text.get(at..)?.split('"').next())
}

/// The pages that SUMMARY.md lists, as paths in the repository.
fn pages(summary: &str) -> BTreeSet<String> {
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|link| place(SUMMARY, link)).collect()
}

/// The replacement of a page's link, unless it works in the book as it is.
fn outside(page: &str, link: &str, pages: &BTreeSet<String>, repository: &str) -> Option<String> {
    let path = link.split('#').next().unwrap_or(link);
    let target = place(page, path);
    let is_inside = path.is_empty()
        || link.contains(':')
        || pages.contains(&target)
        || target.starts_with(IMAGES);
    let kind = if Path::new(&target).is_dir() { "tree" } else { "blob" };
    (!is_inside).then(|| format!("{repository}/{kind}/HEAD/{target}"))
}

/// The path in the repository of a file that a page names.
fn place(page: &str, path: &str) -> String {
    normal(&Path::new(page).with_file_name(path)).display().to_string()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

/// A page with other targets of its inline links, where there is another one.
fn relinked(text: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let mut is_code = false;
    let mut made = String::new();
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        for (index, part) in line.split('`').enumerate() {
            made.push_str(if index > 0 { "`" } else { "" });
            // Every second part is inline code.
            if is_code || is_fence || index % 2 == 1 {
                made.push_str(part)
            } else {
                push_relinked(&mut made, part, &other)
            }
        }
    }
    made
}

fn push_relinked(made: &mut String, part: &str, other: impl Fn(&str) -> Option<String>) {
    let mut pieces = part.split("](");
    made.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let link = piece.split([')', ' ']).next().unwrap_or_default();
        let (_, rest) = piece.split_at(link.len());
        made.push_str("](");
        made.push_str(&other(link).unwrap_or_else(|| link.to_owned()));
        made.push_str(rest);
    }
}

/// The files below a folder whose names have this extension.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| at(folder, error))? {
        let path = entry.map_err(|error| at(folder, error))?.path();
        if path.is_dir() {
            found.append(&mut files(&path, extension)?);
        } else if path.extension() == Some(OsStr::new(extension)) {
            found.push(path);
        }
    }
    Ok(found)
}

fn put(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    std::fs::write(file, bytes).map_err(|error| at(file, error))
}

fn at(path: &Path, error: std::io::Error) -> Failure {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        let pages = BTreeSet::from(["README.md".to_owned(), "docs/a/b.md".to_owned()]);
        let text = "[in](b.md#x), [up](../../README.md), [`code`](../../core/src/lib.rs \"t\"),\n\
                    [here](#y), [web](https://a.example/b.md), `[code](c.rs)`\n```\n[code](c.rs)\n\
                    ```\n![picture](../images/a.png)\n";
        let made = relinked(text, |link| outside("docs/a/b.md", link, &pages, "https://r.example"));
        let changed = "https://r.example/blob/HEAD/core/src/lib.rs";
        assert_eq!(made, text.replace("../../core/src/lib.rs", changed));
        assert!(pages == super::pages("- [A](a/b.md)\n[R](../README.md)\n"));
    }

    #[test]
    fn a_built_link_without_a_target_is_found() {
        let page = r##"<a href="b.html#there">, <h2 id="here">"##.to_owned();
        let other = r##"<a id="there" href="../a.html#here">"##.to_owned();
        let built =
            BTreeMap::from([("o/a.html".into(), page), ("o/sub/b.html".into(), other.clone())]);
        let leads = |page: &str, link: &str| leads_somewhere(Path::new(page), link, &built);
        assert!(leads("o/a.html", "sub/b.html#there") && leads("o/a.html", "#here"));
        assert!(leads("o/sub/b.html", "../a.html#here") && leads("o/a.html", "https://a.example"));
        assert!(!leads("o/a.html", "b.html") && !leads("o/a.html", "sub/b.html#here"));
        assert!(!leads("o/a.html", "#there") && !leads("o/a.html", "gone.png"));
        assert_eq!(attributes(&other, "href").collect::<Vec<_>>(), ["../a.html#here"]);
    }
}
