//! House rules that no compiler or linter checks.

use std::collections::BTreeSet;

use crate::{Failure, book, codes, excerpts, layers, links, manifests, pages, sh, size, words};

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

/// Comments that begin with a relative clause.
const HEADLESS: &str = "^[[:space:]]*(//[/!]?|#|\\*|/\\*\\*?|\"\"\"|\\{#)[[:space:]]*\
                        ((What|Who|Whatever|Whoever|Whose)[[:space:]][^?]*$|\
                        (From|Since|Until) when[[:space:]])";

/// Patterns that tracked files must not contain: the reason, an extended
/// regular expression, and the files to search.
const FORBIDDEN: [(&str, &str, &[&str]); 8] = [
    (
        "comments name their subject instead of \"what ...\" or \"who ...\" (CONTRIBUTING.md, Words)",
        HEADLESS,
        SENTENCES,
    ),
    (
        "the name of a test has at most 60 characters, and begins with no \"what\", \"who\" or \"nobody\"",
        "^[[:space:]]*fn [a-z0-9_]{61,}\\(|def test_[a-z0-9_]{56,}\\(|\
         function test[A-Za-z0-9]{57,}\\(|(^|[^[:alnum:]_.])test\\(['\"`][^'\"`]{61,}|\
         (fn |def test_|function test|(^|[^[:alnum:]_.])test\\(['\"`])\
         ([Ww]hat|[Ww]ho|[Ww]hatever|[Ww]hoever|[Nn]obody)[_A-Z ]",
        &["*.rs", "*.py", "*.php", "*.mjs"],
    ),
    (
        "an error is told apart by Error::reason or by its own enum, not by its code, which is for people",
        "([=!]= \\*?|match )(&?[a-z_.()]+\\.code\\(\\)|ErrorCode::[A-Z])|\\.code\\(\\) [=!]=|ErrorCode::[A-Z0-9_]+( \\||\\)*,?( if .*)? =>)",
        &[
            "base/src/*.rs",
            "core/src/*.rs",
            "host/src/*.rs",
            "cli/src/*.rs",
            "sandbox/src/*.rs",
            ":!*tests.rs",
        ],
    ),
    (
        "messages are in words, not in the Debug form of a value",
        "^[!>] .*((Some|Ok|Err|Other|Error|Custom|Os)\\(|\
         (Some|Ok|Err|Other|Custom|Os|[A-Z][A-Za-z]*(Context|Error)) \\{|\\[[0-9]{1,3}, [0-9]{1,3}, [0-9])",
        &["tests/messages"],
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
    broken.extend(long_files()?);
    broken.extend(long_pages()?);
    broken.extend(words::problems()?);
    broken.extend(excerpts::problems()?);
    broken.extend(pages::problems()?);
    broken.extend(manifests::stale()?);
    broken.extend(layers::problems()?);
    broken.extend(codes::undescribed()?);
    broken.extend(codes::unshown()?);
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

    use super::HEADLESS;

    #[test]
    fn headless_comments_are_found_and_plain_ones_are_not() {
        let lines = [
            "    /// What threads tell JavaScript.",
            "# Until when nothing is queried.",
            "// Asks until when somebody answers?",
            "/// The time until which nothing is queried.",
        ];
        let mut grep = Command::new("grep")
            .args(["-E", "-e", HEADLESS])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        grep.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
        let output = String::from_utf8(grep.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(output.lines().collect::<Vec<_>>(), lines[..2]);
    }
}
