//! `cargo xtask walk`: the files of base, transport, core and host that a call passes, because
//! one of their functions ran. Generated files do not count, and neither do
//! functions that show a value.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Failure, sh, size};

/// Walks of `core/tests/walk`.
const WALKS: [(&str, &str); 3] = [
    ("payment", "a payment with a connection and a token at hand"),
    ("token", "besides, if the token has to be fetched"),
    ("payout", "besides, for a payout with a journal"),
];
/// The page with a table of the files of each walk.
const TABLES: &str = "core/tests/walk/README.md";
/// The page with the steps of each walk, and its section about them.
const STEPS: &str = "ARCHITECTURE.md";
const SECTION: [&str; 2] = ["### Three walks\n", "### On the wire\n"];
/// How many more calls one run makes than the other: they show the functions that
/// each call runs.
const MORE_CALLS: u64 = 10;

/// How often each function ran, by its file and its name.
type Counts = BTreeMap<(String, String), u64>;

pub(crate) fn print() -> Result<(), Failure> {
    for ((_, what), files) in WALKS.iter().zip(walks()?) {
        println!("{what}: {} files", files.len());
        for file in files {
            println!("  {file}");
        }
    }
    Ok(())
}

/// Compares the pages with the walks.
pub(crate) fn check() -> Result<(), Failure> {
    let steps = sh::read(STEPS)?;
    let tables = sh::read(TABLES)?;
    let walks = walks()?;
    let section = steps.split(SECTION[0]).nth(1).and_then(|it| it.split(SECTION[1]).next());
    let section = section.ok_or_else(|| format!("{STEPS} lacks the section of the walks"))?;
    let strangers = strangers(section, &walks);
    if !strangers.is_empty() {
        return Err(format!("{STEPS}: no walk passes {}", strangers.join(", ")));
    }
    if with_tables(&tables, &walks)? == tables {
        Ok(())
    } else {
        Err(format!("{TABLES}: a walk passes other files; run: cargo xtask walk --update"))
    }
}

/// Writes the tables.
pub(crate) fn update() -> Result<(), Failure> {
    let page = sh::read(TABLES)?;
    sh::write(TABLES, &with_tables(&page, &walks()?)?)
}

/// The page with the tables of these walks between their marks.
fn with_tables(page: &str, walks: &[BTreeSet<String>]) -> Result<String, Failure> {
    let mut page = page.to_owned();
    for ((walk, _), files) in WALKS.iter().zip(walks) {
        let (begin, end) =
            (format!("<!-- walk-{walk}:begin -->"), format!("<!-- walk-{walk}:end -->"));
        let parts = page
            .split_once(&begin)
            .and_then(|(before, rest)| rest.split_once(&end).map(|(_, after)| (before, after)));
        let (before, after) =
            parts.ok_or_else(|| format!("{TABLES} lacks the marks {begin} and {end}"))?;
        page = format!("{before}{begin}\n{}{end}{after}", table(files));
    }
    Ok(page)
}

fn table(files: &BTreeSet<String>) -> String {
    let mut folders = BTreeMap::<&str, Vec<String>>::new();
    for (folder, name) in files.iter().filter_map(|file| file.rsplit_once('/')) {
        folders.entry(folder).or_default().push(format!("`{name}`"));
    }
    let mut table = format!("| Folder | {} files |\n|---|---|\n", files.len());
    for (folder, names) in folders {
        table += &format!("| `{folder}` | {} |\n", names.join(", "));
    }
    table
}

/// The paths in a text that lead to no file of a walk.
fn strangers<'a>(text: &'a str, walks: &[BTreeSet<String>]) -> Vec<&'a str> {
    let names = text.split('`').skip(1).step_by(2);
    let paths = names.filter(|name| name.contains('/') && name.ends_with(".rs"));
    let is_passed = |path: &str| walks.iter().flatten().any(|file| file.ends_with(path));
    paths.filter(|path| !is_passed(path)).collect()
}

/// The files of each walk; those of the first are left out of the others.
fn walks() -> Result<Vec<BTreeSet<String>>, Failure> {
    let mut line = vec!["scripts/walk.sh".to_owned(), MORE_CALLS.to_string()];
    line.extend(WALKS.map(|(walk, _)| walk.to_owned()));
    sh::run(&line.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut walks: Vec<BTreeSet<String>> = Vec::new();
    for (walk, _) in WALKS {
        let report = |count| {
            let lcov = sh::read(sh::target().join(format!("walk/{walk}-{count}.lcov")))?;
            Ok::<_, Failure>(counts(&lcov, &current_folder()?))
        };
        let mut files = passed(&report(1)?, &report(1 + MORE_CALLS)?);
        for file in files.clone() {
            if size::is_generated(&sh::read(&file)?) {
                files.remove(&file);
            }
        }
        if let Some(first) = walks.first() {
            files.retain(|file| !first.contains(file));
        }
        walks.push(files);
    }
    Ok(walks)
}

/// The files with a function that every further call runs.
fn passed(one: &Counts, more: &Counts) -> BTreeSet<String> {
    let before = |key| one.get(key).copied().unwrap_or_default();
    let ran = more.iter().filter(|(key, count)| **count >= before(key) + MORE_CALLS);
    ran.map(|((file, _), _)| file.clone()).collect()
}

/// Reads a report in the format of lcov about the files of this folder.
fn counts(lcov: &str, root: &Path) -> Counts {
    let mut counts = Counts::new();
    let mut file = None;
    for line in lcov.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let path = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str);
            let is_counted = |path: &&str| {
                ["base/", "transport/", "core/", "host/"].iter().any(|it| path.starts_with(it))
            };
            file = path.filter(is_counted).filter(|path| path.contains("/src/"));
        } else if let Some((count, function)) =
            line.strip_prefix("FNDA:").and_then(|line| line.split_once(','))
            && let Some(file) = file
            && !["5Debug3fmt", "7Display3fmt"].iter().any(|it| function.contains(it))
        {
            let key = (file.to_owned(), function.to_owned());
            *counts.entry(key).or_default() += count.parse::<u64>().unwrap_or_default();
        }
    }
    counts
}

fn current_folder() -> Result<std::path::PathBuf, Failure> {
    std::env::current_dir().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_passed_if_each_call_runs_one_of_its_functions() {
        let report = |each: u64, first: u64, shown: u64| {
            let lcov = format!(
                "SF:/x y/core/src/each.rs\nFN:1,_Reach\nFNDA:{each},_Reach\nend_of_record\n\
                 SF:/x y/core/src/first.rs\nFNDA:{first},_Rfirst\nend_of_record\n\
                 SF:/x y/core/src/shown.rs\nFNDA:{shown},_RNvXs_4core3fmt5Debug3fmt\n\
                 SF:/x y/core/tests/walk/walk.rs\nFNDA:{each},_Rmain\n\
                 SF:/x y/sandbox/src/lib.rs\nFNDA:{each},_Rserve\n\
                 SF:/rustc/core/src/result.rs\nFNDA:{each},_Rok\n"
            );
            counts(&lcov, Path::new("/x y"))
        };
        let files = passed(&report(2, 3, 1), &report(2 + MORE_CALLS, 4, 1 + MORE_CALLS));
        assert_eq!(Vec::from_iter(files), ["core/src/each.rs"]);
    }

    #[test]
    fn the_page_has_a_table_of_each_walk() {
        let files = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let walks = [files(&["core/src/a/one.rs", "core/src/a/two.rs"]), files(&[]), files(&[])];
        let marks = WALKS
            .map(|(walk, _)| format!("<!-- walk-{walk}:begin -->\nold\n<!-- walk-{walk}:end -->"));
        let page = with_tables(&marks.join("\n"), &walks).unwrap();
        assert!(
            page.contains(
                "| Folder | 2 files |\n|---|---|\n| `core/src/a` | `one.rs`, `two.rs` |\n"
            )
        );
        assert_eq!(with_tables(&page, &walks).unwrap(), page);
        assert_eq!(strangers("`a/one.rs` (`f`), then `b/one.rs`.", &walks), ["b/one.rs"]);
    }
}
