//! The responses of the Python package, and its public names.

use std::collections::BTreeSet;

use payments_core::operation::{Codes, ResponseMember, ResponseObject, ResponseShape};

use super::{codes, response_parts, responses};
use crate::ORIGIN;
use crate::requests::{objects, operations};
use crate::words::{doc_of_member, in_rst, wrapped};

const WIDTH: usize = 100;

pub(crate) fn response_classes() -> String {
    let members = responses().flat_map(|response| response.members);
    let parts: BTreeSet<_> = members.filter_map(|it| Some(it.shape.object()?.name)).collect();
    let parts: String = parts.iter().map(|name| format!("        {name},\n")).collect();
    let names: String = codes().iter().map(|codes| format!("        {},\n", codes.name)).collect();
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"What the operations give.\"\"\"\n\n\
         from __future__ import annotations\n\nfrom ._response import Response, ResponseMapping\n\n\
         # Type checkers treat this as true. Importing typing takes as long as all the rest.\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from ._codes import (\n{names}    )\n    \
         from ._response_parts import (\n{parts}    )\n"
    );
    text.push_str(&list("__all__", &eager_names()));
    for response in responses() {
        push_response(&mut text, response);
    }
    text.push_str("\n\nRESPONSES: dict[str, type[Response]] = {\n");
    for (operation, _) in operations() {
        if let Some(response) = operation.response() {
            text.push_str(&format!("    \"{operation}\": {},\n", response.name));
        }
    }
    text.push_str("}\n\"\"\"The class of each operation's response.\"\"\"\n");
    text
}

/// The code classes, in their own module: importing `enum` takes as long as
/// everything else together.
pub(crate) fn code_classes() -> String {
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"Codes of responses, each an open set.\"\"\"\n\n\
         from __future__ import annotations\n\nfrom ._enums import OpenCode\n"
    );
    codes().iter().for_each(|codes| push_codes(&mut text, codes));
    text
}

fn push_codes(text: &mut String, codes: &Codes) {
    let Codes { name, doc, .. } = codes;
    text.push_str(&format!(
        "\n\nclass {name}(OpenCode):\n    \"\"\"{doc} ``{name}(\"XX\")`` is one too.\"\"\"\n\n"
    ));
    for code in codes.known {
        let (name, meaning) = (code.name.to_uppercase(), crate::words::in_capital(code.meaning));
        text.push_str(&format!("    {name} = \"{}\"\n    \"\"\"{meaning}.\"\"\"\n", code.code));
    }
}

fn push_response(text: &mut String, response: &ResponseObject) {
    text.push_str(&format!("\n\nclass {}(ResponseMapping):\n", response.name));
    push_doc(text, response.doc, "    ");
    for member in response.members {
        push_property(text, member);
    }
    let shown = response.members.iter().filter(|member| member.is_shown);
    let shown: String = shown.map(|member| format!("\"{}\", ", member.name)).collect();
    text.push_str(&format!(
        "\n    def __repr__(self) -> str:\n        \"\"\"Show neither payer nor payee.\"\"\"\n        \
         return self._shown({})\n",
        shown.trim_end_matches(", ")
    ));
}

fn push_doc(text: &mut String, doc: &str, indent: &str) {
    let doc = in_rst(doc);
    let (summary, rest) = match doc.split_once(". ") {
        Some((summary, rest)) => (format!("{summary}."), Some(rest)),
        None => (doc.clone(), None),
    };
    text.push_str(&format!("{indent}\"\"\"{summary}"));
    if let Some(rest) = rest {
        text.push_str(&format!("\n\n{}{indent}", wrapped(rest, indent, indent, WIDTH)));
    }
    text.push_str("\"\"\"\n");
}

fn push_property(text: &mut String, member: &ResponseMember) {
    let ResponseMember { name, shape, may_be_null, .. } = member;
    let of = type_of(member);
    text.push_str(&format!("\n    @property\n    def {name}(self) -> {of}:\n"));
    text.push_str(&format!("        \"\"\"{}\"\"\"\n", in_rst(&doc_of_member(member))));
    let value = format!("self._view.get(\"{name}\")");
    let body = match shape {
        ResponseShape::Flag => format!("        return bool({value})\n"),
        ResponseShape::Text(_) if *may_be_null => {
            format!("        return self._text(\"{name}\")\n")
        }
        ResponseShape::Text(_) => format!("        return str(self._view[\"{name}\"])\n"),
        ResponseShape::Integer => format!("        return int(self._view[\"{name}\"])\n"),
        ResponseShape::Code(codes) => format!(
            "        code = {value}\n        if code is None:\n            return None\n        \
             from ._codes import {of}\n\n        return {of}(code)\n",
            of = codes.name
        ),
        ResponseShape::Object(part) | ResponseShape::Objects(part) => {
            let part = part.name;
            let made = match shape {
                ResponseShape::Objects(_) => {
                    format!("[members_of({part}, each) for each in found]")
                }
                _ => format!("members_of({part}, found)"),
            };
            let made = match may_be_null {
                true => format!("None if found is None else {made}"),
                false => made,
            };
            let otherwise = if *may_be_null { "" } else { " or []" };
            format!(
                "        from ._records import members_of\n        \
                 from ._response_parts import {part}\n\n        \
                 found = self._part(\"{name}\"){otherwise}\n        return {made}\n"
            )
        }
    };
    text.push_str(&body);
}

fn type_of(member: &ResponseMember) -> String {
    let of = match &member.shape {
        ResponseShape::Text(_) => "str".to_owned(),
        ResponseShape::Integer => "int".to_owned(),
        ResponseShape::Flag => "bool".to_owned(),
        ResponseShape::Code(codes) => codes.name.to_owned(),
        ResponseShape::Object(part) => part.name.to_owned(),
        ResponseShape::Objects(part) => format!("list[{}]", part.name),
    };
    if member.may_be_null { format!("{of} | None") } else { of }
}

/// Parts of responses, and the token, as plain values.
pub(crate) fn response_parts_module() -> String {
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"Plain values of responses.\"\"\"\n\nfrom __future__ import annotations\n\n\
         from dataclasses import dataclass, field\n"
    );
    for part in response_parts() {
        push_part(&mut text, part);
    }
    text
}

fn push_part(text: &mut String, part: &ResponseObject) {
    text.push_str(&format!("\n\n@dataclass(frozen=True)\nclass {}:\n", part.name));
    push_doc(text, part.doc, "    ");
    // Fields with a default must follow the others.
    let mut members: Vec<_> = part.members.iter().collect();
    members.sort_by_key(|member| member.may_be_null);
    for member in members {
        let default = match (member.may_be_null, member.is_shown) {
            (true, true) => " = None",
            (true, false) => " = field(default=None, repr=False)",
            (false, true) => "",
            (false, false) => " = field(repr=False)",
        };
        let (name, of, doc) = (member.name, type_of(member), in_rst(&doc_of_member(member)));
        text.push_str(&format!("\n    {name}: {of}{default}\n    \"\"\"{doc}\"\"\"\n"));
    }
}

fn eager_names() -> BTreeSet<&'static str> {
    responses().map(|response| response.name).collect()
}

fn lazy_names() -> [(&'static str, BTreeSet<&'static str>); 3] {
    let parts = response_parts().map(|part| part.name).collect();
    let mut requests: BTreeSet<_> = objects().iter().map(|object| object.name).collect();
    requests.insert("Amount");
    let codes = codes().iter().map(|codes| codes.name).collect();
    [("_response_parts", parts), ("_codes", codes), ("_requests", requests)]
}

fn all_names() -> BTreeSet<&'static str> {
    eager_names().into_iter().chain(lazy_names().into_iter().flat_map(|(_, names)| names)).collect()
}

/// Additions to the package's `__all__`. Mypy does not read a list from
/// another module.
pub(crate) fn exported_names() -> String {
    let names: String = all_names().iter().map(|name| format!("    \"{name}\",\n")).collect();
    format!("__all__ += [\n{names}]\n")
}

/// The module that exports the public names from the tables.
pub(crate) fn exports() -> String {
    let [parts, codes, requests] = lazy_names();
    let imported = |(module, names): &(&str, BTreeSet<&str>)| {
        let names: String = names.iter().map(|name| format!("        {name},\n")).collect();
        format!("    from .{module} import (\n{names}    )\n")
    };
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"The public names of requests and responses, and where each is.\"\"\"\n\n\
         # Type checkers treat this as true. Importing typing takes as long as all the rest.\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n"
    );
    for module in [&codes, &requests, &parts, &("_responses", eager_names())] {
        text.push_str(&imported(module));
    }
    text.push_str(&list("__all__", &all_names()));
    text.push_str("\n# Imported on first use.\nLATER = {\n");
    for (module, names) in [parts, codes, requests] {
        for name in names {
            text.push_str(&format!("    \"{name}\": \"{module}\",\n"));
        }
    }
    text.push_str("}\n");
    text
}

fn list(name: &str, names: &BTreeSet<&str>) -> String {
    let names: String = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    format!("\n{name} = [\n{names}]\n")
}
