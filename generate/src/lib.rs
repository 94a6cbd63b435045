//! Makes what the packages for other languages and the documentation repeat
//! from the core's tables.
//!
//! The files are committed. `UPDATE=1 cargo test -p payments-generate` writes
//! them, and without `UPDATE` the test compares.

mod node;
mod php;
mod python;
mod tables;
mod typescript;

use std::iter::once;
use std::path::Path;

use payments_core::Operation;
use payments_core::operation::{EXTRA, Field, INTEGRATION_KEY, Object, Presence, Shape};

/// What the first line of each file says.
const ORIGIN: &str =
    "Generated from the core's tables; do not edit. To update: cargo xtask generate";

const EXTRA_DOC: &str = "Members that are in no table; they follow the others as they are.";

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
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
        let mut text = std::fs::read_to_string(place).unwrap_or_default();
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
    requests.map(|(path, text)| File::new(path, text)).into_iter().chain(tables::files()).collect()
}

/// The operations whose request is JSON.
fn operations() -> impl Iterator<Item = (Operation, &'static Object)> {
    let of_json = Operation::ALL.into_iter().filter(|it| *it != Operation::Send);
    of_json.filter_map(|operation| Some((operation, operation.request()?)))
}

/// Every object of these requests once, after those that stand inside it.
fn objects() -> Vec<&'static Object> {
    fn push(objects: &mut Vec<&'static Object>, object: &'static Object) {
        for inner in object.fields.iter().filter_map(|field| field.shape.object()) {
            push(objects, inner);
        }
        if !objects.iter().any(|known| known.name == object.name) {
            objects.push(object);
        }
    }
    let mut objects = Vec::new();
    for (_, request) in operations() {
        push(&mut objects, request);
    }
    objects
}

/// The members of an object that have a field, the integration key included.
fn fields(object: &'static Object) -> impl Iterator<Item = &'static Field> {
    object.fields.iter().chain(once(&INTEGRATION_KEY).filter(|_| object.holds_key))
}

/// Whether a member must be given whatever else is.
fn is_required(field: &Field) -> bool {
    field.presence == Presence::Required
}

/// Whether `null` leaves the member out. An amount that is lost on the way is
/// an error instead.
fn may_be_null(field: &Field) -> bool {
    !matches!(field.presence, Presence::Required | Presence::OneOf)
        && !matches!(field.shape, Shape::Amount)
}

/// What an object is and where that is stated.
fn doc_of(object: &Object) -> String {
    format!("{} Interface, \"{}\".", object.doc, object.source)
}
