//! The C of the README and the pages compiles against the header.

#![allow(clippy::expect_used, reason = "a test may fail so")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The pages with C. `pages.c` runs those of docs/keys.md and docs/refunds.md.
const PAGES: [&str; 2] = ["ffi-c/README.md", "docs/getting-started/c.md"];

/// The declarations of the programs around the blocks.
const AROUND: &str = "
#include <payments.h>
#include <stdio.h>
extern payments_client *client;
extern payments_options *options;
extern payments_request *request;
extern payments_response *response;
extern payments_error *error;
extern payments_call *call;
extern payments_status status;
extern const char *body, *keys, *token, *reference;
extern size_t length, keys_length, token_length, body_length;
void follow_up(const char *reference);
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn blocks(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).expect("a page can be read");
    let fenced = text.split("\n```c").skip(1).filter(|it| it.starts_with(['\n', ',']));
    let bodies = fenced.filter_map(|it| it.split_once('\n')?.1.split("\n```").next());
    bodies.map(str::to_owned).collect()
}

/// The block as a part of a program: its functions, and its statements in one.
fn program(block: &str) -> String {
    let whole: Vec<_> = block.lines().filter(|line| *line != "…").collect();
    let whole = whole.join("\n").replace("{ … }", "{ return; }");
    let (functions, statements) = match whole.split_once("\n}\n") {
        Some((function, rest)) if function.starts_with("static") => {
            (format!("{function}\n}}"), rest)
        }
        _ => (String::new(), whole.as_str()),
    };
    format!("{AROUND}{functions}\nvoid block(void);\nvoid block(void)\n{{\n{statements}\n}}\n")
}

/// Functions of the header without a row in the README, and rows without a function.
#[test]
fn the_readme_lists_every_function() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("it can be read");
    let header = read("include/payments.h");
    let code = header.lines().filter(|line| !line.starts_with(" *"));
    let names = code.filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next());
    let functions: BTreeSet<_> = names.filter(|it| it.starts_with("payments_")).collect();
    assert!(functions.len() > 100, "{functions:?}");
    let readme = read("ffi-c/README.md");
    let (_, table) = readme.split_once("<!-- methods:begin -->").expect("a table");
    let (table, _) = table.split_once("<!-- methods:end -->").expect("its end");
    let listed: Vec<_> = table.split('`').filter(|it| it.starts_with("payments_")).collect();
    let is_listed_as = |listed: &str, name: &str| match listed.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == listed,
    };
    for name in &functions {
        assert!(listed.iter().any(|it| is_listed_as(it, name)), "{name} is not in the table");
    }
    for row in listed {
        assert!(functions.iter().any(|name| is_listed_as(row, name)), "there is no {row}");
    }
}

#[test]
fn every_block_compiles() {
    for page in PAGES {
        let blocks = blocks(page);
        assert!(!blocks.is_empty(), "{page} has no C");
        for block in blocks {
            let mut compiler = Command::new("cc")
                .args(["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c", "-I"])
                .arg(root().join("include"))
                .arg("-")
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("there is a C compiler");
            let mut input = compiler.stdin.take().expect("it is piped");
            input.write_all(program(&block).as_bytes()).expect("the compiler reads");
            drop(input);
            let output = compiler.wait_with_output().expect("the compiler ends");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: {errors}\n{block}");
        }
    }
}
