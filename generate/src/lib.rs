//! Generates, from the core's tables, what the other languages' packages and
//! the documentation repeat.
//!
//! The files are committed. `UPDATE=1 cargo test -p payments-generate` writes
//! them; without `UPDATE`, the test compares.

mod node;
mod operations;
mod php;
mod python;
mod requests;
mod sql;
mod tables;
mod typescript;
mod words;

use std::path::Path;

/// The first line of each generated file.
const ORIGIN: &str =
    "Generated from the core's tables; do not edit. To update: cargo xtask generate";

/// A generated file, in whole or between markers.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its contents.
    pub text: String,
    /// Whether the whole file is generated.
    pub is_whole: bool,
}

impl File {
    fn new(path: impl Into<String>, text: String) -> Self {
        Self { path: path.into(), text, is_whole: true }
    }

    /// The existing file, with each part between its markers, `NAME:begin` and
    /// `NAME:end`. Parts whose markers are missing are appended.
    fn with_parts(path: &str, parts: &[(&str, String)]) -> Self {
        let mut text = read(path);
        for (name, part) in parts {
            let (begin, end) = match path.ends_with(".md") {
                true => (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->")),
                false => (format!("# {name}:begin: {ORIGIN}\n"), format!("# {name}:end\n")),
            };
            let found = text.split_once(&begin).and_then(|(before, rest)| {
                let (old, after) = rest.split_once(&end)?;
                let indent = old.rsplit('\n').next().filter(|it| it.trim().is_empty());
                let indent = indent.unwrap_or_default();
                Some(format!("{before}{begin}{part}{indent}{end}{after}"))
            });
            text = found.unwrap_or_else(|| format!("{text}{begin}{part}{end}"));
        }
        Self { path: path.to_owned(), text, is_whole: false }
    }
}

/// All generated files.
pub fn files() -> Vec<File> {
    let requests = [
        ("bindings-python/python/libpayments/_requests.py", python::requests()),
        ("bindings-node/requests.d.ts", typescript::requests()),
        ("bindings-node/lib/levels.js", node::levels()),
        ("bindings-php/src/Requests.php", php::requests()),
    ];
    let requests = requests.map(|(path, text)| File::new(path, text)).into_iter();
    requests.chain(operations::files()).chain(sql::files()).chain(tables::files()).collect()
}

/// The contents of a file in the repository; empty if it does not exist.
fn read(path: &str) -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(place).unwrap_or_default()
}
