//! The request types of the PHP package.

use payments_core::operation::{EXTRA, RequestMember, RequestObject, RequestShape};

use crate::ORIGIN;
use crate::requests::{EXTRA_DOC, doc_of, fields, is_required, may_be_null, objects, operations};

pub(crate) fn requests() -> String {
    let mut text = format!("<?php\n\n// {ORIGIN}\n\n");
    text.push_str(
        "declare(strict_types=1);\n\n\
         namespace Libpayments;\n\n\
         /**\n \
         * The members of requests: their names are those of the service.\n \
         *\n \
         * Editors, PHPStan and Psalm read these types; other classes import them with\n \
         * `@phpstan-import-type CreatePayment from \\Libpayments\\Requests`.\n",
    );
    for object in objects() {
        push_type(&mut text, object);
    }
    let any: Vec<_> = operations().map(|(_, request)| request.name).collect();
    text.push_str(&format!(
        " *\n * Request: A request of any operation.\n *\n * @phpstan-type Request {}\n",
        any.join("|")
    ));
    text.push_str(" */\ninterface Requests\n{\n}\n");
    text
}

fn push_type(text: &mut String, object: &'static RequestObject) {
    let name = object.name;
    text.push_str(&format!(" *\n * {name}: {}\n *\n", doc_of(object)));
    for field in fields(object) {
        text.push_str(&format!(" * - `{}`: {}\n", field.name, field.doc()));
    }
    text.push_str(&format!(" * - `{EXTRA}`: {EXTRA_DOC}\n *\n"));
    text.push_str(&format!(" * @phpstan-type {name} array{{\n"));
    for field in fields(object) {
        let (name, of) = (field.name, type_of(field));
        let mark = if is_required(field) { "" } else { "?" };
        let nothing = if may_be_null(field) { "|null" } else { "" };
        text.push_str(&format!(" *     {name}{mark}: {of}{nothing},\n"));
    }
    text.push_str(&format!(" *     {EXTRA}?: array<string, mixed>|null,\n * }}\n"));
}

fn type_of(field: &RequestMember) -> String {
    match &field.shape {
        RequestShape::Amount => "string|int|Decimal".to_owned(),
        RequestShape::Integer => "int".to_owned(),
        RequestShape::Object(object) => object.name.to_owned(),
        RequestShape::Objects(object) => format!("list<{}>", object.name),
        RequestShape::TextsOrObjects(object) => format!("list<string|{}>", object.name),
        _ => "string".to_owned(),
    }
}
