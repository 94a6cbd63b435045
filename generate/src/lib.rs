//! Makes what the packages for other languages repeat from the core's tables:
//! for now the types of requests.
//!
//! The files are committed. `UPDATE=1 cargo test -p payments-generate` writes
//! them, and without `UPDATE` the test compares.

mod node;
mod php;
mod python;
mod typescript;

use std::iter::once;

use payments_core::Operation;
use payments_core::operation::{EXTRA, Field, INTEGRATION_KEY, Object, Presence, Shape};

/// What the first line of each file says.
const ORIGIN: &str =
    "Generated from the core's tables; do not edit. To update: cargo xtask generate";

const EXTRA_DOC: &str = "Members that are in no table; they follow the others as they are.";

/// A file that is made.
#[derive(Debug)]
pub struct File {
    /// Its path from the root of the repository.
    pub path: &'static str,
    /// What it holds.
    pub text: String,
}

/// All files that are made.
pub fn files() -> Vec<File> {
    vec![
        File { path: "bindings-python/python/libpayments/_requests.py", text: python::requests() },
        File { path: "bindings-node/requests.d.ts", text: typescript::requests() },
        File { path: "bindings-node/lib/levels.js", text: node::levels() },
        File { path: "bindings-php/src/Requests.php", text: php::requests() },
    ]
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
