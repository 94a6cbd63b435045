//! The request types of the npm package.

use payments_core::operation::{EXTRA, Presence, RequestMember, RequestObject, RequestShape};

use crate::ORIGIN;
use crate::requests::{EXTRA_DOC, doc_of, fields, is_required, may_be_null, objects};

pub(crate) fn requests() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n\
         // The members of requests: their names are those of the service.\n\n\
         import type {{ Amount, Open }} from './index.js';\n"
    );
    for object in objects() {
        push_type(&mut text, object);
    }
    text
}

fn push_type(text: &mut String, object: &'static RequestObject) {
    let (name, doc) = (object.name, doc_of(object));
    let is_alternative = |field: &&RequestMember| field.presence == Presence::OneOf;
    let alternatives: Vec<_> = fields(object).filter(is_alternative).collect();
    let start = if alternatives.is_empty() { "interface" } else { "type" };
    let equals = if alternatives.is_empty() { "" } else { "= " };
    text.push_str(&format!("\n/** {doc} */\nexport {start} {name} {equals}{{\n"));
    for field in fields(object).filter(|field| !is_alternative(field)) {
        push_member(text, field);
    }
    text.push_str(&format!("  /** {EXTRA_DOC} */\n"));
    text.push_str(&format!("  {EXTRA}?: Readonly<Record<string, unknown>> | null | undefined;\n"));
    text.push('}');
    if !alternatives.is_empty() {
        text.push_str(" & (");
        for chosen in &alternatives {
            text.push_str("\n  | {\n");
            text.push_str(&format!("      /** {} */\n", chosen.doc()));
            text.push_str(&format!("      {}: {};\n", chosen.name, type_of(chosen)));
            for other in alternatives.iter().filter(|other| other.name != chosen.name) {
                text.push_str(&format!("      {}?: never;\n", other.name));
            }
            text.push_str("    }");
        }
        text.push_str("\n);");
    }
    text.push('\n');
}

fn push_member(text: &mut String, field: &RequestMember) {
    let (name, of, doc) = (field.name, type_of(field), field.doc());
    let mark = if is_required(field) { "" } else { "?" };
    let nothing = if may_be_null(field) { " | null | undefined" } else { "" };
    text.push_str(&format!("  /** {doc} */\n  {name}{mark}: {of}{nothing};\n"));
}

fn type_of(field: &RequestMember) -> String {
    match &field.shape {
        RequestShape::Amount => "Amount".to_owned(),
        RequestShape::Integer => "number | bigint".to_owned(),
        RequestShape::Object(object) => object.name.to_owned(),
        RequestShape::Objects(object) => format!("readonly {}[]", object.name),
        RequestShape::TextsOrObjects(object) => format!("readonly (string | {})[]", object.name),
        _ if field.examples.is_empty() => "string".to_owned(),
        _ => {
            let examples: Vec<_> = field.examples.iter().map(|it| format!("'{it}'")).collect();
            format!("Open<{}>", examples.join(" | "))
        }
    }
}
