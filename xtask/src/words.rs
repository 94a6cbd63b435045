//! The number of words that the book asks a reader to read: README and the pages
//! of `docs/`, without tables, programs and comments. Pages to look things up in
//! do not count.

use crate::{Failure, sh};

const COUNTED: &[&str] =
    &["README.md", "docs/*.md", ":!docs/SUMMARY.md", ":!docs/errors.md", ":!docs/reference/*"];

/// Pages about tasks that only some readers have.
const GUIDES: &[&str] = &[
    ":!docs/coming-from.md",
    ":!docs/following.md",
    ":!docs/frameworks/lambda.md",
    ":!docs/glossary.md",
    ":!docs/order-to-delivery.md",
    ":!docs/own-http-client.md",
    ":!docs/payment-methods.md",
    ":!docs/processes.md",
];

/// Sets of pages: their name, the pages to leave out, and the most words of the
/// others.
const LIMITS: [(&str, &[&str], usize); 2] =
    [("README and docs", &[], 12_500), ("README and docs without the guides", GUIDES, 10_500)];

/// The sets of pages with too many words.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (name, without, most) in LIMITS {
        let pages = sh::sources(&[COUNTED, without].concat())?;
        let words: usize = pages.iter().map(|(_, text)| words(text)).sum();
        if words > most {
            problems.push(format!(
                "{name} have {words} words of prose, and may have {most}: say each thing once, and \
                 leave out what nobody acts on"
            ));
        }
    }
    Ok(problems)
}

/// The words of a page outside of tables, fenced programs and HTML comments.
fn words(text: &str) -> usize {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once("-->").map_or("", |(_, after)| after));
    let shown: String = std::iter::once(first).chain(rest).collect();
    let mut is_code = false;
    let mut words = 0;
    for line in shown.lines().map(str::trim_start) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with('|') {
            words += line.split_whitespace().count();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn tables_programs_and_comments_are_no_prose() {
        let page = "# Two words\n\n<!-- a:begin -->\n| not | this |\n<!-- a:end -->\nOne [more](x).\n\
                    ```sh\nnot this\n```\n  ```\nnor this\n  ```\nend <!-- no\nno --> end\n";
        assert_eq!(words(page), 3 + 2 + 2);
    }
}
