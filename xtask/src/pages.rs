//! Commands of pages that a reader types: the sources of packages, and the
//! places of environments.

use crate::{Failure, sh};

const NOTICE: &str = "not published yet";
/// Commands that take our packages from a registry. A path has a slash before the name.
const INSTALLS: [&str; 5] =
    ["pip install", "npm install", "composer require", "cargo add", "cargo install"];
const PACKAGES: [&str; 5] = [
    "libpayments",
    "libpayments-sandbox",
    "payments-core",
    "payments-cli",
    "libpayments/libpayments",
];

/// The pages that install from a registry and do not say what it lacks, and the
/// environments of Python that would land in a checkout.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (page, text) in sh::sources(&["*.md", ":!CHANGELOG.md", ":!RELEASING.md"])? {
        if !text.contains(NOTICE)
            && let Some(line) = text.lines().find(|line| is_from_a_registry(line))
        {
            problems.push(format!("{page}: say that the packages are {NOTICE}: {line}"));
        }
        for block in text.split("\n```sh").skip(1).filter_map(|it| it.split("\n```").next()) {
            // A folder beside a checkout names it as `../libpayments`.
            if block.contains("-m venv") && !block.contains("../libpayments") {
                problems.push(format!("{page}: `-m venv` would land in a checkout"));
            }
        }
    }
    Ok(problems)
}

fn is_from_a_registry(line: &str) -> bool {
    let command = INSTALLS.iter().find_map(|install| line.split_once(install));
    let words = command.map(|(_, rest)| rest.split('`').next().unwrap_or(rest));
    let words = words.map(|rest| rest.split(" #").next().unwrap_or(rest));
    let mut words = words.into_iter().flat_map(str::split_whitespace);
    words.any(|word| PACKAGES.iter().any(|it| word.split(['@', '=', ':']).next() == Some(it)))
}

#[cfg(test)]
mod tests {
    use super::is_from_a_registry;

    #[test]
    fn a_path_is_no_registry() {
        assert!(is_from_a_registry("npm install express libpayments@1   # now"));
        assert!(is_from_a_registry("with `pip install libpayments`, and more"));
        assert!(is_from_a_registry("composer require libpayments/libpayments"));
        assert!(!is_from_a_registry("venv/bin/pip install ../libpayments/bindings-python"));
        assert!(!is_from_a_registry("cargo install --locked --path libpayments/cli"));
        assert!(!is_from_a_registry("pip install x    # once published: libpayments"));
    }
}
