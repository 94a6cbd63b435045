//! The request levels for the npm package's encoder.

use payments_core::operation::{EXTRA, Others, RequestObject};

use crate::ORIGIN;
use crate::requests::{fields, objects, operations};

pub(crate) fn levels() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n\
         'use strict';\n\n\
         // The objects of requests: their members, each with the object that is\n\
         // there, and whether they take members that are in no table.\n"
    );
    for object in objects() {
        text.push_str(&level(object));
    }
    text.push_str("\n/** The object that each operation takes. */\nmodule.exports = {\n");
    for (operation, request) in operations() {
        text.push_str(&format!("  {}: {},\n", operation.name(), request.name));
    }
    text.push_str("};\n");
    text
}

fn level(object: &'static RequestObject) -> String {
    let mut text = format!("\nconst {} = {{\n  members: {{\n", object.name);
    for field in fields(object) {
        let inner = field.shape.object().map_or("null", |inner| inner.name);
        text.push_str(&format!("    {}: {inner},\n", field.name));
    }
    let is_open = object.others == Others::Pass;
    text.push_str(&format!("    {EXTRA}: null,\n  }},\n  isOpen: {is_open},\n}};\n"));
    text
}
