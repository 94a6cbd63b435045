//! The clients' methods, one per operation, and their responses.

mod c;
mod node;
mod pages;
mod php;
mod php_responses;
mod python;
mod python_responses;

use payments_core::Operation;
use payments_core::operation::{Codes, ResponseObject, ResponseShape};

use crate::File;
use crate::requests::operations;

const PYTHON: &str = "bindings-python/python/libpayments";

/// All files generated from the tables of operations.
pub(crate) fn files() -> Vec<File> {
    let whole = [
        ("ffi-c/src/operation_calls.rs".to_owned(), c::operation_calls()),
        (format!("{PYTHON}/_operations.py"), python::blocking()),
        (format!("{PYTHON}/_async_operations.py"), python::asyncio()),
        (format!("{PYTHON}/_responses.py"), python_responses::response_classes()),
        (format!("{PYTHON}/_codes.py"), python_responses::code_classes()),
        (format!("{PYTHON}/_response_parts.py"), python_responses::response_parts_module()),
        (format!("{PYTHON}/_exports.py"), python_responses::exports()),
        ("bindings-node/lib/operations.js".to_owned(), node::methods()),
        ("bindings-node/operations.d.ts".to_owned(), node::declarations()),
        ("bindings-node/responses.d.ts".to_owned(), node::response_types()),
        ("bindings-php/src/Internal/Operations.php".to_owned(), php::methods()),
        ("bindings-php/src/ClientInterface.php".to_owned(), php::interface()),
    ];
    let whole = whole.into_iter().map(|(path, text)| File::new(path, text));
    let names = [("operations", python_responses::exported_names())];
    let names = File::with_parts(&format!("{PYTHON}/__init__.py"), &names);
    whole.chain([names]).chain(php_responses::files()).chain(pages::files()).collect()
}

/// The responses of operations with a JSON request, without duplicates.
fn responses() -> impl Iterator<Item = &'static ResponseObject> {
    let all = operations().filter_map(|(operation, _)| operation.response());
    once_each(all.collect(), |response| response.name).into_iter()
}

/// The objects inside responses, and the token, without duplicates.
fn response_parts() -> impl Iterator<Item = &'static ResponseObject> {
    let members = responses().flat_map(|response| response.members);
    let inner = members.filter_map(|member| member.shape.object());
    let all = inner.chain(Operation::AccessToken.response()).collect();
    once_each(all, |part| part.name).into_iter()
}

/// The code sets used in responses, without duplicates.
fn codes() -> Vec<&'static Codes> {
    let members = responses().flat_map(|response| response.members);
    let all = members.filter_map(|member| match member.shape {
        ResponseShape::Code(codes) => Some(codes),
        _ => None,
    });
    once_each(all.collect(), |codes| codes.name)
}

fn once_each<T: Copy>(all: Vec<T>, name: impl Fn(T) -> &'static str) -> Vec<T> {
    let mut each: Vec<T> = Vec::new();
    for one in all {
        if !each.iter().any(|known| name(*known) == name(one)) {
            each.push(one);
        }
    }
    each
}
