//! Checks that the lines of programs in README are cut from the programs that the
//! tests run.

use crate::{Failure, sh};

const README: &str = "README.md";
/// A language in fences, and the file that its lines are cut from.
const SOURCES: [(&str, &str); 5] = [
    ("python", "examples/shop/shop.py"),
    ("js", "examples/shop/shop.mjs"),
    ("php", "examples/shop/shop.php"),
    ("c", "examples/shop/shop.c"),
    ("rust", "docs/getting-started/rust.md"),
];

/// The languages without lines, and the lines that are not in their files.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let readme = sh::read(README)?;
    let mut problems = Vec::new();
    for (language, path) in SOURCES {
        let source = sh::read(path)?;
        let blocks = blocks(&readme, language);
        if blocks.is_empty() {
            problems.push(format!("{README} has no lines of {path}"));
        }
        for part in blocks.iter().filter_map(|block| missing(block, &source)) {
            problems.push(format!("{README}: {path} does not have these lines:\n{part}"));
        }
    }
    Ok(problems)
}

fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    let begun = fenced.filter_map(|it| it.strip_prefix(language)?.split_once('\n'));
    begun.filter(|(rest, _)| rest.is_empty() || rest.starts_with(',')).map(|(_, it)| it).collect()
}

/// The first part of a block that `source` does not have. A comment `…` is between
/// two parts.
fn missing(block: &str, source: &str) -> Option<String> {
    let is_gap = |line: &&str| line.trim_matches(|it| " #/*".contains(it)) == "…";
    let lines: Vec<_> = block.lines().collect();
    let source: Vec<_> = source.lines().collect();
    let is_cut =
        |part: &[&str]| source.windows(part.len()).any(|lines| is_indented_copy(lines, part));
    let mut parts = lines.split(is_gap).filter(|part| !part.is_empty());
    parts.find(|part| !is_cut(part)).map(|part| part.join("\n"))
}

/// Whether lines differ only in spaces that all of them begin with.
fn is_indented_copy(lines: &[&str], of: &[&str]) -> bool {
    let shift = |(line, of): (&&str, &&str)| {
        (line.trim_start() == of.trim_start()).then(|| line.len().checked_sub(of.len()))?
    };
    let mut shifts = lines.iter().zip(of).map(shift);
    let first = shifts.next().flatten();
    first.is_some() && shifts.all(|shift| shift == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "fn a() {\n    b(\n        c,\n    );\n    d();\n}\n";

    #[test]
    fn lines_that_are_cut_keep_their_form() {
        assert_eq!(missing("b(\n    c,\n);\n// …\n}", SOURCE), None);
        let wrong = ["b(\n  c,\n);", "b(\n    e,\n);", "b(\n);", "x\n# …\nd();"];
        for block in wrong {
            assert!(missing(block, SOURCE).is_some(), "{block}");
        }
    }

    #[test]
    fn blocks_are_found_by_their_language() {
        let page = "\n```c,excerpt\nc();\n```\n```cpp\nd();\n```\n```c\ne();\n```\n";
        assert_eq!(blocks(page, "c"), ["c();", "e();"]);
    }
}
