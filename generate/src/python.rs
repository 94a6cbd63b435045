//! The request types of the Python package.

use payments_core::operation::{EXTRA, RequestMember, RequestObject, RequestShape};

use crate::ORIGIN;
use crate::requests::{EXTRA_DOC, fields, is_required, may_be_null, objects, operations};
use crate::words::in_rst;

const EXTRA_TYPE: &str = "Mapping[str, object] | None";

const HEAD: &str = r#"
"""The members of requests: their names are those of the service."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Required
elif sys.version_info >= (3, 11):
    from typing import Required

Amount = Decimal | int | str
"""A decimal amount over zero. Its digits reach the service as they are."""
"#;

pub(crate) fn requests() -> String {
    let mut text = format!("# {ORIGIN}\n{HEAD}");
    for object in objects() {
        push_type(&mut text, object);
    }
    push_members_of_any(&mut text);
    let requests: Vec<_> = operations().map(|(_, request)| request.name).collect();
    // Wrapped as ruff would.
    let line = format!("Request = {}\n", requests.join(" | "));
    let lines = format!("Request = (\n    {}\n)\n", requests.join("\n    | "));
    text.push_str(&format!("\n\n{}", if line.len() <= 101 { line } else { lines }));
    text.push_str("\"\"\"A request of any operation.\"\"\"\n");
    text
}

fn push_type(text: &mut String, object: &'static RequestObject) {
    let doc = in_rst(object.doc);
    let source = object.source;
    text.push_str(&format!("\n\nclass {}(TypedDict, total=False):\n", object.name));
    text.push_str(&format!("    \"\"\"{doc}\n\n    Interface, \"{source}\".\n    \"\"\"\n"));
    for field in fields(object) {
        push_member(text, field.name, &type_of(field), &field.doc());
    }
    push_member(text, EXTRA, EXTRA_TYPE, EXTRA_DOC);
}

/// Appends the type for calls by name, which take the members of any request.
fn push_members_of_any(text: &mut String) {
    text.push_str("\n\nclass Members(TypedDict, total=False):\n");
    text.push_str(
        "    \"\"\"The members of requests of all operations, for calls by name.\"\"\"\n",
    );
    let mut named: Vec<(&str, String)> = vec![];
    let fields = operations().flat_map(|(_, request)| fields(request));
    for (name, of) in fields.map(|field| (field.name, nullable_type_of(field))) {
        if !named.iter().any(|(known, _)| *known == name) {
            named.push((name, of));
        }
    }
    named.push((EXTRA, EXTRA_TYPE.to_owned()));
    text.push('\n');
    for (name, of) in named {
        text.push_str(&format!("    {name}: {of}\n"));
    }
}

fn push_member(text: &mut String, name: &str, of: &str, doc: &str) {
    text.push_str(&format!("\n    {name}: {of}\n    \"\"\"{}\"\"\"\n", in_rst(doc)));
}

fn type_of(field: &RequestMember) -> String {
    match field {
        _ if is_required(field) => format!("Required[{}]", type_of_value(field)),
        _ if may_be_null(field) => nullable_type_of(field),
        _ => type_of_value(field),
    }
}

fn nullable_type_of(field: &RequestMember) -> String {
    let of = type_of_value(field);
    if matches!(field.shape, RequestShape::Amount) { of } else { format!("{of} | None") }
}

fn type_of_value(field: &RequestMember) -> String {
    match &field.shape {
        RequestShape::Amount => "Amount".to_owned(),
        RequestShape::Integer => "int".to_owned(),
        RequestShape::Object(object) => object.name.to_owned(),
        RequestShape::Objects(object) => format!("list[{}]", object.name),
        RequestShape::TextsOrObjects(object) => format!("list[str | {}]", object.name),
        _ => "str".to_owned(),
    }
}
