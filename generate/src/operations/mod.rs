//! The methods of clients, one for each operation, and what they give.

mod c;
mod node;
mod pages;
mod php;
mod php_answers;
mod python;
mod python_answers;

use payments_core::Operation;
use payments_core::operation::{AnswerObject, AnswerShape, Codes};

use crate::File;
use crate::requests::operations;

const PYTHON: &str = "bindings-python/python/libpayments";

/// All files that are made of these tables.
pub(crate) fn files() -> Vec<File> {
    let whole = [
        ("ffi-c/src/operation_calls.rs".to_owned(), c::operation_calls()),
        (format!("{PYTHON}/_operations.py"), python::blocking()),
        (format!("{PYTHON}/_async_operations.py"), python::asyncio()),
        (format!("{PYTHON}/_answers.py"), python_answers::answer_classes()),
        (format!("{PYTHON}/_codes.py"), python_answers::code_classes()),
        (format!("{PYTHON}/_answer_parts.py"), python_answers::answer_parts_module()),
        (format!("{PYTHON}/_exports.py"), python_answers::exports()),
        ("bindings-node/lib/operations.js".to_owned(), node::methods()),
        ("bindings-node/operations.d.ts".to_owned(), node::declarations()),
        ("bindings-node/answers.d.ts".to_owned(), node::answer_types()),
        ("bindings-php/src/Internal/Operations.php".to_owned(), php::methods()),
    ];
    let whole = whole.into_iter().map(|(path, text)| File::new(path, text));
    let names = [("operations", python_answers::exported_names())];
    let names = File::with_parts(&format!("{PYTHON}/__init__.py"), &names);
    whole.chain([names]).chain(php_answers::files()).chain(pages::files()).collect()
}

/// The answers of operations whose request is JSON, each once.
fn answers() -> impl Iterator<Item = &'static AnswerObject> {
    let all = operations().filter_map(|(operation, _)| operation.answer());
    once_each(all.collect(), |answer| answer.name).into_iter()
}

/// The objects inside of answers, and the token, each once.
fn answer_parts() -> impl Iterator<Item = &'static AnswerObject> {
    let members = answers().flat_map(|answer| answer.members);
    let inner = members.filter_map(|member| member.shape.object());
    let all = inner.chain(Operation::AccessToken.answer()).collect();
    once_each(all, |part| part.name).into_iter()
}

/// The sets of codes that answers have, each once.
fn codes() -> Vec<&'static Codes> {
    let members = answers().flat_map(|answer| answer.members);
    let all = members.filter_map(|member| match member.shape {
        AnswerShape::Code(codes) => Some(codes),
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
