//! House rules that no compiler or linter checks.

use std::collections::BTreeSet;

use crate::{
    Failure, book, circles, codes, debug_texts, decisions, excerpts, folder_lists, layers, links,
    manifests, pages, sh, size, words,
};

const MAX_LINES: usize = 800;
/// Pages that a newcomer reads whole, and how many bytes each may have.
const SHORT_PAGES: [(&str, usize); 2] = [("ARCHITECTURE.md", 13_000), ("CONTRIBUTING.md", 9_000)];
const SOURCES: [&str; 11] =
    ["*.rs", "*.sh", "*.c", "*.cpp", "*.h", "*.py", "*.pyi", "*.js", "*.mjs", "*.ts", "*.php"];

/// The files with comments. The arguments of the command have help texts instead.
const SENTENCES: &[&str] = &[
    "*.rs",
    "*.sh",
    "*.c",
    "*.cpp",
    "*.h",
    "*.py",
    "*.pyi",
    "*.js",
    "*.mjs",
    "*.ts",
    "*.mts",
    "*.php",
    "*.toml",
    "*.jinja",
    ":!cli/src/args/*.rs",
];

/// The beginning of a line of a comment.
macro_rules! comment {
    () => {
        "^[[:space:]]*(//[/!]?|#|\\*|/\\*\\*?|\"\"\"|\\{#)[[:space:]]*"
    };
}

/// Words that a native engineer would not say.
macro_rules! stilted {
    () => {
        "of (its|their|your|our) own([.,;:)]|$)|(^|[^[:alnum:]_])(lest|whence|anew|whoever|\
         whomever|(could|can|to) be had|otherwise than|(some|any|no)thing else than)([^[:alnum:]_]|$)"
    };
}

/// Comments that begin with a relative clause.
const HEADLESS: &str = concat!(
    comment!(),
    "((What|Who|Whatever|Whoever|Whose)[[:space:]][^?]*$|(From|Since|Until) when[[:space:]])"
);

/// Comments with words that a native engineer would not say.
const STILTED: &str = concat!(comment!(), ".*(what bec(ame|omes) of|", stilted!(), ")");

/// Patterns that tracked files must not contain: the reason, an extended
/// regular expression, and the files to search.
const FORBIDDEN: [(&str, &str, &[&str]); 9] = [
    (
        "comments name their subject instead of \"what ...\" or \"who ...\" (CONTRIBUTING.md, Words)",
        HEADLESS,
        SENTENCES,
    ),
    ("comments use plain words (CONTRIBUTING.md, Words)", STILTED, SENTENCES),
    (
        "comments say \"like\" another item, or \"those of\" it for errors (CONTRIBUTING.md, Words)",
        concat!(comment!(), "As \\[?`"),
        SENTENCES,
    ),
    ("pages use plain words (CONTRIBUTING.md, Words)", stilted!(), &["*.md", ":!CONTRIBUTING.md"]),
    (
        "the name of a test has at most 60 characters, and begins with no \"what\", \"who\" or \"nobody\"",
        "^[[:space:]]*fn [a-z0-9_]{61,}\\(|def test_[a-z0-9_]{56,}\\(|\
         function test[A-Za-z0-9]{57,}\\(|(^|[^[:alnum:]_.])test\\(['\"`][^'\"`]{61,}|\
         (fn |def test_|function test|(^|[^[:alnum:]_.])test\\(['\"`])\
         ([Ww]hat|[Ww]ho|[Ww]hatever|[Ww]hoever|[Nn]obody)[_A-Z ]",
        &["*.rs", "*.py", "*.php", "*.mjs"],
    ),
    (
        "the rsa crate must touch no private key (see RUSTSEC-2023-0071 in deny.toml)",
        // Text after `//` is exempt, here and in the next pattern. AWS-LC has a
        // PaddedBlockDecryptingKey, of AES.
        "^([^/]|/[^/])*(RsaPrivateKey|SigningKey|(^|[^k])DecryptingKey|rsa::hazmat)",
        &[
            "base/src/*.rs",
            "transport/src/*.rs",
            "core/src/*.rs",
            "host/src/*.rs",
            "sandbox/src/*.rs",
            "cli/src/*.rs",
        ],
    ),
    (
        "base, transport, core, host, sandbox, cli and xtask have no unsafe code but in cli/src/process/startup.rs",
        "^([^/]|/[^/])*(^|[^[:alnum:]_])(unsafe[[:space:]]*([({]|fn|impl|trait|extern|$)|\
         allow\\(unsafe_code)",
        &[
            "base/*.rs",
            "transport/*.rs",
            "core/*.rs",
            "host/*.rs",
            "sandbox/*.rs",
            "cli/*.rs",
            "xtask/src/*.rs",
            ":!cli/src/process/startup.rs",
        ],
    ),
    (
        "PHP writes to standard output through Internal/Commands/Output.php, which checks that it arrived",
        // Comments are exempt.
        "^[^*/#]*((fwrite|fputs|fprintf|vfprintf|fputcsv)\\(\\\\?STDOUT|(^|[[:space:];{(!@])(echo|print|printf|\
         vprintf|print_r|var_dump|readfile|fpassthru)([[:space:]]*\\(|[[:space:]]+[\"'$<])|\
         php:.?/?/?(stdout|output))",
        &[
            "bindings-php/src/*",
            "bindings-php/bin/*",
            "bindings-php/frameworks/*",
            ":!bindings-php/src/Internal/Commands/Output.php",
        ],
    ),
    (
        "a path of one machine is in the sources",
        "(^|[^[:alnum:]_.~/-])/(work|root|home|Users|tmp/wt)/",
        &[],
    ),
];

pub(crate) fn check() -> Result<(), Failure> {
    let mut broken = Vec::new();
    for (reason, pattern, places) in FORBIDDEN {
        let found = grep(&[&["-nIE", "-e", pattern, "--"], places].concat())?;
        if !found.is_empty() {
            broken.push(format!("{reason}:\n{found}"));
        }
    }
    broken.extend(dangling_references()?);
    broken.extend(links::dangling()?);
    broken.extend(book::unlisted()?);
    broken.extend(links::missing_sources()?);
    broken.extend(folder_lists::problems()?);
    broken.extend(long_files()?);
    broken.extend(long_pages()?);
    broken.extend(words::problems()?);
    broken.extend(excerpts::problems()?);
    broken.extend(pages::problems()?);
    broken.extend(manifests::stale()?);
    broken.extend(layers::problems()?);
    broken.extend(circles::problems()?);
    broken.extend(codes::undescribed()?);
    broken.extend(codes::unshown()?);
    broken.extend(debug_texts::problems()?);
    broken.extend(decisions::problems()?);
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// Runs `git grep` on all files that are not ignored.
fn grep(arguments: &[&str]) -> Result<String, Failure> {
    match sh::outcome(&[&["git", "grep", "--untracked"], arguments].concat())? {
        (0 | 1, found) => Ok(found),
        _ => Err("git grep failed: this check needs a git work tree".to_owned()),
    }
}

/// Comments cite the interface as: Interface, "Payout request".
fn dangling_references() -> Result<Vec<String>, Failure> {
    let mut pages = sh::sources(&["docs/reference/*.md"])?;
    pages.push(("docs/interface.md".to_owned(), sh::read("docs/interface.md")?));
    let headings: BTreeSet<&str> = pages
        .iter()
        .flat_map(|(_, page)| page.lines())
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .collect();
    let found = grep(&["-hoiE", "-e", "interface, \"[^\"]+\"", "--", "*.rs"])?;
    let named: BTreeSet<&str> = found.lines().filter_map(|line| line.split('"').nth(1)).collect();
    let missing = named.difference(&headings);
    Ok(missing
        .map(|name| {
            format!("comments name \"{name}\", no heading of docs/interface.md or docs/reference")
        })
        .collect())
}

fn long_pages() -> Result<Vec<String>, Failure> {
    let mut long = Vec::new();
    for (page, most) in SHORT_PAGES {
        let bytes = sh::read(page)?.len();
        if bytes > most {
            long.push(format!(
                "{page} has {bytes} bytes, and may have {most}: move what only some readers need \
                 to the page of its subject, and link to it"
            ));
        }
    }
    Ok(long)
}

fn long_files() -> Result<Vec<String>, Failure> {
    let mut long = Vec::new();
    for (file, text) in sh::sources(&SOURCES)? {
        let lines = text.lines().count();
        let is_exempt = size::is_generated(&text) || text.contains("Reason for length: ");
        if lines > MAX_LINES && !is_exempt {
            long.push(format!(
                "{file} has {lines} lines: split what is over {MAX_LINES}, or say why not in a line \
                 \"// Reason for length: ...\""
            ));
        }
    }
    Ok(long)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::{HEADLESS, STILTED};

    /// The lines that contain `pattern`, by their numbers from 1.
    fn found(pattern: &str, lines: &[&str]) -> String {
        let mut grep = Command::new("grep")
            .args(["-nE", "-e", pattern])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        grep.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
        let output = String::from_utf8(grep.wait_with_output().unwrap().stdout).unwrap();
        output.lines().filter_map(|line| line.split_once(':')).map(|(number, _)| number).collect()
    }

    #[test]
    fn stilted_comments_are_found_and_plain_ones_are_not() {
        let lines = [
            "    /// What threads tell JavaScript.",
            "# Until when nothing is queried.",
            "// Asks until when somebody answers?",
            "/// The time until which nothing is queried.",
        ];
        assert_eq!(found(HEADLESS, &lines), "12");
        let lines = [
            "// Those of the query if it fails otherwise than by a timeout.",
            " * Signs something else than a digest.",
            "/// Signs something other than a digest.",
            "let text = \"something else than a comment\";",
        ];
        assert_eq!(found(STILTED, &lines), "12");
    }
}
