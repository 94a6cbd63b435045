//! Checks that imports within a crate or a package point one way.
//!
//! Those with floors have their order here: a folder or file imports only those
//! below it. Unit tests are exempt.

use std::collections::BTreeSet;

use crate::{Failure, sh};

/// A folder, and its modules from the lowest to the highest.
type Floors = (&'static str, &'static [&'static str]);

const PHP: &str = "bindings-php/src/Internal";
const PHP_PREFIX: &str = "Libpayments\\Internal\\";
const NODE: &str = "bindings-node/lib";

/// ARCHITECTURE.md, or the list at the head of a crate, has the purpose of each.
const FLOORS: &[Floors] = &[
    (
        "transport/src",
        &[
            "call",
            "address",
            "response_bytes",
            "failure",
            "no_proxy",
            "proxy_url",
            "proxy",
            "request",
            "pool",
            "pace",
            "classify",
            "head",
            "socket",
            "race",
            "connect",
            "connection",
            "tunnel",
            "tls",
            "connector",
            "connections",
            "transport",
            "response",
            "exchange",
            "http",
            "fuzzing",
        ],
    ),
    (
        "core/src",
        &[
            "test_folder",
            "model",
            "call_options",
            "signing",
            "token",
            "journal",
            "config",
            "client",
        ],
    ),
    (
        "host/src",
        &[
            "spelling",
            "test_folder",
            "threads",
            "turns",
            "lint",
            "answer",
            "journal",
            "agreement",
            "recovery",
            "follow",
            "waiting",
            "ensuring",
            "commands",
            "by_name",
        ],
    ),
    (
        "core/src/model",
        &[
            "error_code",
            "json",
            "amount",
            "figures",
            "operation",
            "response",
            "diagnosis",
            "error",
            "rules",
            "card_guard",
            "methods",
            "forms",
            "observer",
            "qr",
            "request",
        ],
    ),
    (
        "cli/src",
        &[
            "process", "args", "output", "settings", "keys", "calls", "journal", "check", "help",
            "sandbox", "demo", "batch",
        ],
    ),
    (
        "sandbox/src",
        &[
            "rng",
            "halt",
            "config",
            "doctor",
            "http",
            "faults",
            "wire",
            "service",
            "operations",
            "serving",
            "page",
            "control",
            "server",
            "sandbox",
        ],
    ),
    (
        "ffi-c/src",
        &[
            "allocator",
            "pinned",
            "version",
            "nul_terminated",
            "status_codes",
            "status",
            "failure",
            "input",
            "error",
            "boundary",
            "text",
            "descriptor",
            "sink",
            "request",
            "prepared",
            "response",
            "transport_response",
            "response_members",
            "response_texts",
            "response_values",
            "error_members",
            "error_values",
            "unobserved",
            "options",
            "call",
            "client",
            "signer",
            "store",
            "observer",
            "journal",
            "transport",
            "operations",
            "tools",
            "follow",
            "operation_calls",
            "test_hooks",
        ],
    ),
    (
        "generate/src",
        &[
            "file",
            "sql",
            "filters",
            "spec",
            "literals",
            "environment",
            "undefined",
            "templates",
            "python_async",
            "header",
        ],
    ),
    (
        "bindings-python/src",
        &[
            "threads",
            "shutdown",
            "values",
            "callback_ref",
            "calls",
            "callbacks",
            "config",
            "client",
            "tools",
        ],
    ),
    (
        "bindings-node/src",
        &["names", "message", "response", "port", "callbacks", "tools", "client"],
    ),
    (
        NODE,
        &[
            "own",
            "error-codes",
            "members",
            "event-names",
            "platforms",
            "times",
            "signals",
            "journal-sql",
            "operations",
            "errors",
            "loader",
            "listeners",
            "callbacks",
            "port",
            "decimal",
            "encode",
            "input",
            "responses",
            "journal",
            "following",
            "tools",
            "operation-responses",
            "postgres-journal",
            "client",
            "command",
            "index",
            "testing",
        ],
    ),
    (
        PHP,
        &[
            "Tables",
            "ErrorCode",
            "Secret",
            "ReadByMethods",
            "Hidden",
            "Memory",
            "Quietly",
            "LibraryFile",
            "Signals",
            "JournalSql",
            "Report",
            "Functions",
            "Loader",
            "FloatDigits",
            "Json",
            "Bytes",
            "Work",
            "RunningCall",
            "Events",
            "NativeError",
            "Interruption",
            "Descriptors",
            "Callbacks",
            "Handle",
            "NativeClient",
            "Operations",
            "Tools",
            "Commands",
            "Frameworks",
        ],
    ),
];

/// The mistakes in the imports, one text for each.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for (folder, floors) in FLOORS {
        let ending = match *folder {
            PHP => ".php",
            NODE => ".js",
            _ => ".rs",
        };
        let root = folder.find("/src").map_or(0, |at| at + "/src/".len());
        let parent = folder.get(root..).unwrap_or_default();
        for (file, text) in sh::sources(&[&format!("{folder}/*{ending}")])? {
            let path = file[folder.len() + 1..].trim_end_matches(ending);
            let module = path.split('/').next().unwrap_or_default();
            if matches!(module, "lib" | "main" | "mod") || path.ends_with("tests") {
                continue;
            }
            let Some(own) = place(floors, module) else {
                problems
                    .push(format!("{file} is on no floor; add {module} to xtask/src/layers.rs"));
                continue;
            };
            let names = match ending {
                ".php" => named_in_php(floors, &text),
                ".js" => named_in_javascript(path, &text),
                _ => named_in_rust(parent, path, &text),
            };
            for name in names {
                match place(floors, &name) {
                    Some(floor) if floor <= own => {}
                    Some(_) => problems.push(format!("{file} imports {name}, which is above")),
                    None => problems.push(format!("{file} imports {name} past the floors")),
                }
            }
        }
    }
    Ok(problems)
}

fn place(floors: &[&str], module: &str) -> Option<usize> {
    floors.iter().position(|floor| *floor == module)
}

/// The names after the path of the module `parent`, whose file or folder is at `path`,
/// outside of comments and unit tests.
fn named_in_rust(parent: &str, path: &str, text: &str) -> BTreeSet<String> {
    let product = text.split("mod tests {").next().unwrap_or_default();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    // In a module of the file, `super` is the file.
    let is_within = |line: &&str| line.starts_with(' ') && line.contains("use super::");
    let lines = product.lines().filter(|line| !is_comment(line) && !is_within(line));
    let code = lines.collect::<Vec<_>>().join(" ");
    let module = if parent.is_empty() { String::new() } else { format!("{parent}::") };
    let mut uses: Vec<_> = code.split(&format!("crate::{module}")).skip(1).collect();
    if path.split('/').skip(1).all(|file| file == "mod") {
        uses.extend(code.split("super::").skip(1));
    }
    let mut names = BTreeSet::new();
    for rest in uses {
        let list = rest.strip_prefix('{').and_then(|list| list.split('}').next());
        for name in
            list.unwrap_or(rest).split(',').take(if list.is_some() { usize::MAX } else { 1 })
        {
            let end = |it: char| !it.is_ascii_alphanumeric() && it != '_';
            names.extend(name.trim().split(end).next().map(str::to_owned));
        }
    }
    names.remove("");
    names
}

/// The files and folders of the package that the file at `path` names, except those
/// beside it in a folder.
fn named_in_javascript(path: &str, text: &str) -> BTreeSet<String> {
    let beside = if path.contains('/') { "../" } else { "./" };
    let quoted = text.split("require('").skip(1).filter_map(|it| it.split('\'').next());
    let names = quoted.filter_map(|it| it.strip_prefix(beside)?.split(['/', '.']).next());
    names.map(str::to_owned).collect()
}

/// The classes of the namespace that a file in it names: with their namespace,
/// or alone. Comments are exempt.
fn named_in_php(floors: &[&str], text: &str) -> BTreeSet<String> {
    let is_comment = |line: &&str| ["//", "/*", "*"].iter().any(|it| line.starts_with(it));
    let code: Vec<_> = text.lines().map(str::trim_start).filter(|it| !is_comment(it)).collect();
    let mut names = BTreeSet::new();
    for line in code {
        let with_namespace = line.split(PHP_PREFIX).skip(1);
        let end = |it: char| !it.is_ascii_alphanumeric();
        names.extend(with_namespace.filter_map(|it| it.split(end).next()).map(str::to_owned));
        // A word after one of these is a member, a variable or of another namespace.
        let words = line.split_inclusive(|it: char| !it.is_ascii_alphanumeric());
        let mut before = ' ';
        for part in words {
            let word = part.trim_end_matches(|it: char| !it.is_ascii_alphanumeric());
            if floors.contains(&word) && !['\\', '>', ':', '$', '\''].contains(&before) {
                names.insert(word.to_owned());
            }
            before = part.chars().last().unwrap_or(' ');
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_one_namespace_are_found_with_it_and_alone() {
        let floors = ["Json", "Report", "Loader", "Memory"];
        let text = "<?php\n * Loader\n// Loader\nuse Libpayments\\Internal\\Json;\n\
                    throw Report::local($Memory, Other\\Loader::class);\n";
        let found = named_in_php(&floors, text);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Json", "Report"]);
    }

    #[test]
    fn names_are_found_except_in_comments_and_tests() {
        let text = "//! crate::config\nuse crate::json::{Json};\nlet it = crate::error::of();\n\
                    use crate::{\n    token,\n    wait::Wait,\n};\nuse super::own;\n\
                    mod all {\n    pub use super::*;\n}\n\
                    #[cfg(test)]\nmod tests {\n    use crate::client::Client;\n}\n";
        let of = |path| Vec::from_iter(named_in_rust("", path, text));
        assert_eq!(of("a/b"), ["error", "json", "token", "wait"]);
        assert_eq!(of("a"), ["error", "json", "own", "token", "wait"]);
        assert_eq!(of("a/mod"), of("a"));
        let text = "use crate::model::json::Json;\nuse crate::base::hex;";
        assert_eq!(Vec::from_iter(named_in_rust("model", "a", text)), ["json"]);
    }

    #[test]
    fn files_of_a_package_are_found_by_their_paths() {
        let text = "const { a } = require('./own.js');\nconst b = () => require('../b/c.js');\n\
                    require('node:fs');";
        assert_eq!(Vec::from_iter(named_in_javascript("client", text)), ["own"]);
        assert_eq!(Vec::from_iter(named_in_javascript("testing/a", text)), ["b"]);
    }

    #[test]
    fn a_floor_is_found_by_its_name() {
        assert_eq!(place(&["base", "model"], "model"), Some(1));
        assert_eq!(place(&["base", "model"], "Client"), None);
    }
}
