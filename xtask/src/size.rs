//! `cargo xtask size`: lines of code by folder, of core and host by floor, and of
//! the core without its features. Tests, benchmarks, examples, comments and blank
//! lines do not count; generated code counts apart, even in a file that a person
//! writes. Templates and the description count like code.

use std::collections::BTreeMap;

use crate::{Failure, sh};

const LANGUAGES: [&str; 8] = ["rs", "py", "js", "mjs", "php", "c", "sh", "jinja"];
const NOT_CODE: [&str; 7] =
    ["/tests/", "/benches/", "/bench/", "/examples/", "_tests.rs", "/tests.rs", "build.rs"];

/// The name under which the core without its features counts.
const MANDATORY: &str = "core, without features";

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Lines {
    by_hand: usize,
    generated: usize,
}

pub(crate) fn print() -> Result<(), Failure> {
    let mut folders = BTreeMap::<String, Lines>::new();
    let listed = sh::output(&["git", "ls-files"])?;
    let optional = optional_modules(&listed)?;
    let mut all = Lines::default();
    for file in listed.lines() {
        let extension = file.rsplit('.').next().unwrap_or_default();
        let is_code = (LANGUAGES.contains(&extension) || file.starts_with("spec/"))
            && !NOT_CODE.iter().any(|part| file.contains(part))
            && !["tests/", "examples/"].iter().any(|folder| file.starts_with(folder));
        // A deleted file stays listed until the deletion is staged.
        let Some(text) = is_code.then(|| std::fs::read_to_string(file).ok()).flatten() else {
            continue;
        };
        let generated = if is_generated(&text) {
            code_lines(&text, extension)
        } else {
            code_lines(&generated_parts(&text), extension)
        };
        let by_hand = code_lines(&text, extension) - generated;
        let is_optional = optional.iter().any(|module| file.starts_with(module.as_str()));
        let mandatory = (file.starts_with("core/") && !is_optional).then(|| MANDATORY.to_owned());
        for folder in folders_of(file).into_iter().chain(mandatory) {
            let lines = folders.entry(folder).or_default();
            lines.generated += generated;
            lines.by_hand += by_hand;
        }
        all.generated += generated;
        all.by_hand += by_hand;
    }
    folders.insert("in all".to_owned(), all);
    println!("{:<24}{:>9}{:>11}", "folder", "by hand", "generated");
    for (folder, Lines { by_hand, generated }) in folders {
        println!("{folder:<24}{by_hand:>9}{generated:>11}");
    }
    Ok(())
}

/// The modules of the core that only a feature compiles: how the paths of their
/// files begin.
fn optional_modules(listed: &str) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for file in listed.lines().filter(|it| it.starts_with("core/src/") && it.ends_with(".rs")) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let folder = match file.rsplit_once('/') {
            Some((folder, "lib.rs" | "mod.rs")) => folder,
            _ => file.trim_end_matches(".rs"),
        };
        for module in modules_of_features(&text) {
            found.extend([format!("{folder}/{module}.rs"), format!("{folder}/{module}/")]);
        }
    }
    if found.is_empty() {
        Err("no module of the core belongs to a feature".to_owned())
    } else {
        Ok(found)
    }
}

/// The modules that a file declares for a feature.
fn modules_of_features(text: &str) -> Vec<&str> {
    let lines: Vec<_> = text.lines().collect();
    let is_condition = |line: &str| {
        line.starts_with("#[cfg(") && line.contains("feature = ") && !line.contains("not(")
    };
    let declared = lines.iter().enumerate().filter_map(|(at, line)| {
        let name = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let name = name.strip_prefix("mod ")?.strip_suffix(';')?;
        let attributes = lines[..at].iter().rev().take_while(|it| it.starts_with("#["));
        attributes.copied().any(is_condition).then_some(name)
    });
    declared.collect()
}

/// The top folder, and for core and host its floor.
fn folders_of(file: &str) -> Vec<String> {
    let mut parts = file.split('/');
    let top = parts.next().unwrap_or_default().to_owned();
    let floor = match (parts.next(), parts.next(), parts.next()) {
        (Some("src"), Some(floor), Some(_)) if top == "core" || top == "host" => {
            Some(format!("{top}/src/{floor}"))
        }
        _ => None,
    };
    std::iter::once(top).chain(floor).collect()
}

/// Whether a person does not write this file.
pub(crate) fn is_generated(text: &str) -> bool {
    let head = text.lines().take(6).filter(|line| !line.starts_with("//!"));
    head.collect::<String>().contains("Generated from")
}

/// The lines between the markers of a file that is written by hand.
fn generated_parts(text: &str) -> String {
    let mut parts = String::new();
    let mut end = None;
    for line in text.lines() {
        let marked = line.trim().split_once(":begin: Generated by ");
        let marked = marked.filter(|(mark, _)| mark.starts_with(['/', '#']));
        match (&end, marked) {
            (None, Some((name, _))) => end = Some(format!("{name}:end")),
            (Some(mark), _) if line.trim() == *mark => end = None,
            (Some(_), _) => parts = parts + line + "\n",
            (None, None) => {}
        }
    }
    parts
}

/// Lines that are neither blank nor comments, without unit tests.
fn code_lines(text: &str, extension: &str) -> usize {
    let comments: &[&str] = if matches!(extension, "py" | "sh" | "toml") {
        &["#"]
    } else {
        &["//", "/*", "*/", "* ", "{#"]
    };
    let mut is_in_docstring = false;
    let counts = |line: &&str| {
        let line = line.trim();
        if extension == "py" && line.starts_with("\"\"\"") {
            is_in_docstring = !is_in_docstring && line.matches("\"\"\"").count() == 1;
            return false;
        }
        if is_in_docstring {
            is_in_docstring = !line.ends_with("\"\"\"");
            return false;
        }
        !line.is_empty() && line != "*" && !comments.iter().any(|mark| line.starts_with(mark))
    };
    without_tests(text).lines().filter(counts).count()
}

/// A text without its modules behind `cfg(test)`, even if that names a system
/// too.
fn without_tests(text: &str) -> String {
    let is_condition = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,")
    };
    let mut lines = text.lines().peekable();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        let is_module = |it: &&str| it.contains("mod ") && it.ends_with('{');
        if is_condition(line) && lines.next_if(is_module).is_some() {
            let indent = &line[..line.len() - line.trim_start().len()];
            lines.by_ref().find(|it| it.strip_prefix(indent) == Some("}"));
        } else {
            kept = kept + line + "\n";
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let rust = "//! About.\n\nfn it() {\n    // why\n}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(code_lines(rust, "rs"), 2);
        let python = "\"\"\"About.\"\"\"\n# why\ndef it():\n    \"\"\"Do.\n\n    More.\n    \"\"\"\n    pass\n";
        assert_eq!(code_lines(python, "py"), 2);
        assert_eq!(code_lines("/*\n * About.\n */\nint x;\n", "c"), 1);
    }

    #[test]
    fn modules_of_tests_do_not_count_wherever_they_are() {
        let test = "mod tests {\n    fn it() {\n    }\n}\n";
        for (condition, module) in [
            ("#[cfg(test)]", test.to_owned()),
            ("#[cfg(test)]", format!("pub(crate) {test}")),
            ("#[cfg(all(test, unix))]", test.to_owned()),
        ] {
            let text = format!("fn one() {{}}\n{condition}\n{module}fn two() {{}}\n");
            assert_eq!(code_lines(&text, "rs"), 2, "{text}");
            let inner: String = text.lines().map(|line| format!("    {line}\n")).collect();
            let text = format!("mod unix {{\n{inner}}}\n");
            assert_eq!(code_lines(&text, "rs"), 4, "{text}");
        }
        let file = "#[cfg(test)]\n#[path = \"it_tests.rs\"]\nmod tests;\nfn it() {}\n";
        assert_eq!(code_lines(file, "rs"), 4);
    }

    #[test]
    fn a_generated_part_counts_apart() {
        let text = "a\n    // it:begin: Generated by x\n    b\n    // it:end\nc\n";
        assert_eq!(generated_parts(text), "    b\n");
    }

    #[test]
    fn a_module_of_a_feature_is_found() {
        let text = "#[cfg(feature = \"a\")]\n#[doc(hidden)]\npub mod one;\nmod two;\n\
                    #[cfg(not(feature = \"a\"))]\nmod three;\n\
                    #[cfg(all(unix, feature = \"b\"))]\npub(crate) mod four;\n";
        assert_eq!(modules_of_features(text), ["one", "four"]);
    }

    #[test]
    fn a_file_of_the_core_counts_for_its_floor() {
        assert_eq!(folders_of("core/src/token/state.rs"), ["core", "core/src/token"]);
        assert_eq!(folders_of("host/src/follow/mod.rs"), ["host", "host/src/follow"]);
        assert_eq!(folders_of("core/src/lib.rs"), ["core"]);
        assert_eq!(folders_of("cli/src/main.rs"), ["cli"]);
    }
}
