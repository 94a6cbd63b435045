//! Keeps the version and addresses in all package manifests equal to
//! `[workspace.package]` in Cargo.toml.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Failure, sh};

const SOURCE: &str = "Cargo.toml";
const SECTION: &str = "[workspace.package]\n";
const CHANGELOG: &str = "CHANGELOG.md";
/// The placeholder host of the addresses (RFC 2606) ends with this.
const NO_HOST: &str = ".invalid";
/// The version without its last number: CMake's `find_package` takes it.
const SERIES: &str = "major.minor";

/// Where a fact is repeated: the file, the start of the line, and the fact's
/// name in `[workspace.package]`, or `SERIES`. The value ends at the next quotation mark.
/// The Python packages take their version from Cargo.
const REPEATED: [(&str, &str, &str); 24] = [
    (SOURCE, "payments-base = { path = \"base\", version = \"", "version"),
    (SOURCE, "payments-transport = { path = \"transport\", version = \"=", "version"),
    (SOURCE, "payments-core = { path = \"core\", version = \"=", "version"),
    (SOURCE, "payments-host = { path = \"host\", version = \"", "version"),
    (SOURCE, "payments-sandbox = { path = \"sandbox\", version = \"", "version"),
    ("host/Cargo.toml", "payments-core = { path = \"../core\", version = \"=", "version"),
    ("bindings-node/package.json", "  \"version\": \"", "version"),
    ("bindings-node/package.json", "    \"url\": \"git+", "repository"),
    ("bindings-node/package.json", "  \"homepage\": \"", "documentation"),
    ("cli/npm/package.json", "  \"version\": \"", "version"),
    ("cli/npm/package.json", "    \"url\": \"git+", "repository"),
    ("cli/npm/package.json", "  \"homepage\": \"", "documentation"),
    ("bindings-python/pyproject.toml", "Repository = \"", "repository"),
    ("bindings-python/pyproject.toml", "Documentation = \"", "documentation"),
    ("cli/pyproject.toml", "Repository = \"", "repository"),
    ("cli/pyproject.toml", "Documentation = \"", "documentation"),
    ("bindings-php/composer.json", "    \"homepage\": \"", "documentation"),
    ("bindings-php/composer.json", "        \"source\": \"", "repository"),
    ("bindings-php/composer.json", "        \"docs\": \"", "documentation"),
    ("cli/composer/composer.json", "    \"homepage\": \"", "documentation"),
    ("cli/composer/composer.json", "        \"source\": \"", "repository"),
    ("cli/composer/composer.json", "        \"docs\": \"", "documentation"),
    ("ffi-c/tests/static/CMakeLists.txt", "find_package(libpayments \"", SERIES),
    ("tests/dist/CMakeLists.txt", "find_package(libpayments \"", SERIES),
];

/// Separate workspaces that reuse builds of the product.
const SHARING: [&str; 2] = ["tests/fuzz/Cargo.lock", "tests/schedules/Cargo.lock"];

/// The members each crate inherits from the workspace.
const INHERITED: [&str; 4] = ["version", "license", "repository", "documentation"];

/// The manifests that differ from `[workspace.package]`.
pub(crate) fn stale() -> Result<Vec<String>, Failure> {
    let source = sh::read(SOURCE)?;
    let mut found = Vec::new();
    for (file, before, name) in REPEATED {
        let text = sh::read(file)?;
        let has = value(&text, before).ok_or_else(|| absent(file, before))?;
        let expected = fact(&source, name)?;
        if has != expected {
            found.push(format!(
                "{file} has \"{has}\" where {name} is \"{expected}\": run cargo xtask manifests"
            ));
        }
    }
    for (file, text) in sh::sources(&["*/Cargo.toml"])? {
        if text.contains("\n[workspace]\n") {
            // A separate workspace, which is not published.
            continue;
        }
        let lacks = |name: &&&str| !text.contains(&format!("\n{name}.workspace = true\n"));
        found.extend(
            INHERITED.iter().filter(lacks).map(|it| format!("{file}: add {it}.workspace = true")),
        );
    }
    for lock in SHARING {
        found.extend(built_twice(lock)?);
    }
    Ok(found)
}

/// The crates of a lock file that the workspace has in another version.
fn built_twice(lock: &str) -> Result<Vec<String>, Failure> {
    let (shared, own) = (sh::read("Cargo.lock")?, sh::read(lock)?);
    let (shared, own) = (versions(&shared), versions(&own));
    let differing = own.iter().filter_map(|(name, has)| {
        let expected = shared.get(name).filter(|it| it.is_disjoint(has))?.first()?;
        let command = format!("cargo update {name} --precise {expected}");
        Some(format!("{lock}: the workspace has another version: run {command} beside it"))
    });
    Ok(differing.collect())
}

/// The versions of each crate in a lock file that a registry has.
fn versions(lock: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all = BTreeMap::<_, BTreeSet<_>>::new();
    let is_of_registry = |package: &&str| package.contains("\nsource = ");
    for package in lock.split("[[package]]").filter(is_of_registry) {
        if let (Some(name), Some(version)) =
            (value(package, "name = \""), value(package, "version = \""))
        {
            all.entry(name).or_default().insert(version);
        }
    }
    all
}

/// Writes the facts into every manifest that repeats them.
pub(crate) fn write() -> Result<(), Failure> {
    let source = sh::read(SOURCE)?;
    for (file, before, name) in REPEATED {
        let text = replaced(&sh::read(file)?, before, fact(&source, name)?);
        sh::write(file, &text.ok_or_else(|| absent(file, before))?)?;
    }
    // The lock files repeat the versions of the workspace's own crates.
    for manifest in [SOURCE, "tests/fuzz/Cargo.toml"] {
        let update = ["cargo", "update", "--quiet", "--workspace", "--offline"];
        sh::run(&[&update[..], &["--manifest-path", manifest]].concat())?;
    }
    Ok(())
}

/// Sets the version of every package.
pub(crate) fn set_version(version: &str) -> Result<(), Failure> {
    let parts: Vec<&str> = version.split('.').collect();
    if parts.len() != 3 || parts.iter().any(|it| it.parse::<u32>().is_err()) {
        return Err(format!("\"{version}\" is no version: give three numbers, such as 0.2.0"));
    }
    let source = sh::read(SOURCE)?;
    let (before, after) = source.split_once(SECTION).ok_or_else(|| absent(SOURCE, SECTION))?;
    let after =
        replaced(after, "version = \"", version).ok_or_else(|| absent(SOURCE, "version"))?;
    sh::write(SOURCE, &format!("{before}{SECTION}{after}"))?;
    write()?;
    println!("every package has version {version}; name it in {CHANGELOG} when you release it");
    Ok(())
}

/// Fails if anything is not ready to publish.
pub(crate) fn check_release() -> Result<(), Failure> {
    let mut missing = unready()?;
    let changed = sh::output(&["git", "status", "--porcelain"])?;
    if !changed.is_empty() {
        missing.push(format!("these changes are not committed:\n{}", changed.trim_end()));
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("not ready to be published:\n- {}", missing.join("\n- ")))
}

/// Prints the missing parts for a release, which is not a failure before one.
pub(crate) fn note_unready() -> Result<(), Failure> {
    for missing in unready()? {
        println!("note: not ready to be published: {missing}");
    }
    Ok(())
}

/// The pages that packages have, and the book.
const PAGES: [&str; 3] = ["README.md", "*/README.md", "docs/*.md"];

/// Texts that these must no longer have in a release.
const UNPUBLISHED: &str =
    "not published yet|Once published|Until the package|until it is published";

/// The missing parts of the sources for a release.
fn unready() -> Result<Vec<String>, Failure> {
    let source = sh::read(SOURCE)?;
    let version = fact(&source, "version")?;
    let mut missing = stale()?;
    for name in ["repository", "documentation", "authors"] {
        let address = fact(&source, name)?;
        if address.contains(NO_HOST) {
            missing.push(format!(
                "{name} is the placeholder {address}: set it in {SOURCE} and run cargo xtask manifests"
            ));
        }
    }
    let section = format!("## [{version}] - ");
    let changes = sh::read(CHANGELOG)?;
    let date = changes.lines().find_map(|line| line.strip_prefix(&section)).unwrap_or_default();
    if !date.starts_with(|it: char| it.is_ascii_digit()) {
        missing.push(format!("{CHANGELOG} has no section [{version}] with a date"));
    }
    let grep = [&["git", "grep", "-lE", UNPUBLISHED, "--"], &PAGES[..]].concat();
    let (code, pages) = sh::outcome(&grep)?;
    // 1: there are none.
    if code != 1 {
        let pages: Vec<&str> = pages.lines().collect();
        missing.push(format!("say how to install the packages in {}", pages.join(", ")));
    }
    Ok(missing)
}

/// The address of the repository on the web.
pub(crate) fn repository() -> Result<String, Failure> {
    fact(&sh::read(SOURCE)?, "repository").map(str::to_owned)
}

/// The value of a member of `[workspace.package]`.
fn fact<'a>(source: &'a str, name: &str) -> Result<&'a str, Failure> {
    let section = source.split_once(SECTION).map_or("", |(_, after)| after);
    let section = section.split("\n[").next().unwrap_or_default();
    let found = match name {
        SERIES => value(section, "version = \"").and_then(|it| Some(it.rsplit_once('.')?.0)),
        "authors" => value(section, "authors = [\""),
        _ => value(section, &format!("{name} = \"")),
    };
    found.ok_or_else(|| absent(SOURCE, name))
}

/// The text from `before`, at the start of a line, to the next quotation mark.
fn value<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(before)?.split('"').next())
}

/// `text` with the value after `before` replaced.
fn replaced(text: &str, before: &str, new: &str) -> Option<String> {
    let old = value(text, before)?;
    let line = format!("\n{before}{old}\"");
    // The first line has no line break before it.
    let text = format!("\n{text}");
    text.replacen(&line, &format!("\n{before}{new}\""), 1).get(1..).map(str::to_owned)
}

fn absent(file: &str, before: &str) -> Failure {
    format!("{file} has no line that begins with `{before}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[a]\nversion = \"9\"\n[workspace.package]\nversion = \"1.2.3\"\n\
                        repository = \"https://it\"\n[b]\nlicense = \"x\"\n";

    #[test]
    fn a_fact_is_that_of_its_section() {
        assert_eq!(fact(TEXT, "version"), Ok("1.2.3"));
        assert_eq!(fact(TEXT, SERIES), Ok("1.2"));
        assert_eq!(fact(TEXT, "repository"), Ok("https://it"));
        assert!(fact(TEXT, "license").is_err());
    }

    #[test]
    fn versions_are_those_of_a_registry() {
        let lock = "[[package]]\nname = \"own\"\nversion = \"0.0.0\"\n\n[[package]]\n\
                    name = \"rsa\"\nversion = \"0.9.10\"\nsource = \"registry\"\n";
        assert_eq!(versions(lock), BTreeMap::from([("rsa", BTreeSet::from(["0.9.10"]))]));
    }

    #[test]
    fn a_value_is_replaced_where_its_line_begins() {
        let text = "{\n  \"version\": \"1.0.0\",\n  \"other\": { \"version\": \"1.0.0\" }\n}\n";
        let expected = text.replacen("1.0.0", "2.0.0", 1);
        assert_eq!(replaced(text, "  \"version\": \"", "2.0.0"), Some(expected));
        assert_eq!(
            replaced("version = \"1\"\n", "version = \"", "2").as_deref(),
            Some("version = \"2\"\n")
        );
        assert_eq!(replaced(text, "\"version\": \"", "2.0.0"), None);
    }
}
