//! Makes what the packages for other languages and the documentation repeat
//! from the core's tables.
//!
//! The files are committed. `UPDATE=1 cargo test -p payments-generate` writes
//! them, and without `UPDATE` the test compares.

mod node;
mod operations;
mod php;
mod python;
mod requests;
mod tables;
mod typescript;
mod words;

use std::path::Path;

/// What the first line of each file says.
const ORIGIN: &str =
    "Generated from the core's tables; do not edit. To update: cargo xtask generate";

/// A file that is made, in whole or between its marks.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the root of the repository.
    pub path: String,
    /// What it holds.
    pub text: String,
    /// Whether all of it is made.
    pub is_whole: bool,
}

impl File {
    fn new(path: impl Into<String>, text: String) -> Self {
        Self { path: path.into(), text, is_whole: true }
    }

    /// The file as it is, with these texts between the marks of their names,
    /// `NAME:begin` and `NAME:end`. Marks that are missing come at its end.
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

/// All files that are made.
pub fn files() -> Vec<File> {
    let requests = [
        ("bindings-python/python/libpayments/_requests.py", python::requests()),
        ("bindings-node/requests.d.ts", typescript::requests()),
        ("bindings-node/lib/levels.js", node::levels()),
        ("bindings-php/src/Requests.php", php::requests()),
    ];
    let requests = requests.map(|(path, text)| File::new(path, text)).into_iter();
    requests.chain(operations::files()).chain(tables::files()).collect()
}

/// A file of the repository as it is; nothing if there is none.
fn read(path: &str) -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(place).unwrap_or_default()
}
