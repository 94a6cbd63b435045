//! Runs one test, or one file of tests, in whichever suite has it.

use crate::suites::WORKSPACE;
use crate::{Failure, sh};

/// A suite: where its tests are, how one is declared, and how to run it.
struct Suite {
    name: &'static str,
    places: &'static [&'static str],
    /// An extended regular expression in which `NAME` stands for the name.
    declaration: &'static str,
    run: fn(name: &str, files: &[String]) -> Result<(), Failure>,
}

const SUITES: [Suite; 6] = [
    Suite {
        name: "Rust",
        places: &["*.rs"],
        declaration: "fn [a-z0-9_]*NAME[a-z0-9_]*\\(\\)",
        run: rust,
    },
    Suite {
        name: "C",
        places: &["ffi-c/tests/c/*.c", "ffi-c/tests/c/*.cpp"],
        declaration: "static void [a-z0-9_]*NAME[a-z0-9_]*\\(void\\)",
        run: c,
    },
    Suite {
        name: "PHP",
        places: &["bindings-php/tests/*Test.php"],
        declaration: "function test[A-Za-z0-9_]*NAME|function NAME",
        run: |name, _| sh::run(&["scripts/test-php.sh", "--filter", name]),
    },
    Suite {
        name: "Python",
        places: &["bindings-python/tests/test_*.py"],
        declaration: "def test_?[a-z0-9_]*NAME|def NAME",
        run: |name, _| sh::run(&["scripts/test-python.sh", "-k", name]),
    },
    Suite {
        name: "Node",
        places: &["bindings-node/tests/*.test.mjs", "bindings-node/tests/*.check.mjs"],
        declaration: "(test|it)\\(['\"`].*NAME",
        run: |name, files| scripts_in_node(&["scripts/test-node.sh", "--only"], name, files),
    },
    Suite {
        name: "page",
        places: &["sandbox/tests/browser/*.test.mjs"],
        declaration: "test\\(['\"`].*NAME",
        run: |name, files| scripts_in_node(&["scripts/test-browser.sh"], name, files),
    },
];

/// Runs the tests and files with this name. Fails if there are none.
pub(crate) fn run(name: &str) -> Result<(), Failure> {
    let plain = |letter: char| letter.is_alphanumeric() || "_-. :".contains(letter);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("\"{name}\" is no name of a test or of a file"));
    }
    let mut ran = Vec::new();
    for suite in &SUITES {
        let files = suite.files_with(name)?;
        if !files.is_empty() {
            println!("\n######## {}: {name}, in {} ########", suite.name, files.join(", "));
            (suite.run)(name, &files)?;
            ran.push(suite.name);
        }
    }
    if ran.is_empty() {
        return Err(format!("no test and no file of tests is named \"{name}\""));
    }
    println!("\nran \"{name}\" in: {}", ran.join(", "));
    Ok(())
}

impl Suite {
    /// The files with this name, and those that declare a test with it.
    fn files_with(&self, name: &str) -> Result<Vec<String>, Failure> {
        // Only the last part of a Rust path (tokens::tokens_store) counts.
        let last = name.rsplit("::").next().unwrap_or(name);
        let list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--"];
        let all = sh::output(&[&list[..], self.places].concat())?;
        let is_named = |file: &&str| {
            let file = file.rsplit('/').next().unwrap_or(file);
            file == last || file.split('.').next() == Some(last)
        };
        let mut files: Vec<String> = all.lines().filter(is_named).map(str::to_owned).collect();
        let pattern = self.declaration.replace("NAME", last);
        let find = ["git", "grep", "--untracked", "-lE", "-e", &pattern, "--"];
        files.extend(sh::outcome(&[&find[..], self.places].concat())?.1.lines().map(str::to_owned));
        files.sort();
        files.dedup();
        Ok(files)
    }
}

fn rust(name: &str, _: &[String]) -> Result<(), Failure> {
    let test = format!("cargo test --quiet {WORKSPACE} --lib --bins --tests");
    let test = [&sh::words(&test)[..], &[name]];
    let list = sh::output(&[&test.concat()[..], &["--", "--list"]].concat())?;
    let found: Vec<_> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    if found.is_empty() {
        // The name matches a function that is not a test.
        println!("none of these is a test");
        return Ok(());
    }
    println!("{}", found.join("\n"));
    sh::run(&test.concat())
}

fn c(_: &str, files: &[String]) -> Result<(), Failure> {
    let programs: Vec<_> = files
        .iter()
        .filter_map(|file| file.rsplit('/').next()?.split('.').next())
        .filter(|program| !["harness", "deepbind"].contains(program))
        .collect();
    // `stack` measures a release build.
    let stage = if programs == ["stack"] { "stack" } else { "plain" };
    let mut command = sh::command(&["scripts/test-c.sh", stage]);
    command.env("PAYMENTS_TEST_PROGRAMS", programs.join(" "));
    sh::succeed(command)
}

fn scripts_in_node(script: &[&str], name: &str, files: &[String]) -> Result<(), Failure> {
    let names: Vec<_> = files.iter().filter_map(|file| file.rsplit('/').next()).collect();
    let is_file = names.iter().any(|file| *file == name || file.split('.').next() == Some(name));
    let mut command = sh::command(script);
    command.args(names).env("PAYMENTS_TEST_NAME", if is_file { "" } else { name });
    sh::succeed(command)
}
