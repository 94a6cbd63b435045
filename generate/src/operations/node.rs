//! The client methods and responses of the npm package.

use payments_core::operation::{ResponseMember, ResponseObject, ResponseShape};

use super::{codes, response_parts, responses};
use crate::ORIGIN;
use crate::requests::operations;
use crate::words::{doc_of_member, doc_of_operation, in_camel_case, wrapped};

const WIDTH: usize = 100;

/// `lib/operations.js`.
pub(crate) fn methods() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n'use strict';\n\n\
         /** The method of a client that performs an operation by its name. */\n\
         const PERFORM = Symbol('perform');\n\n\
         /** What a client inherits: a method for each operation. */\nclass Operations {{\n"
    );
    let mut methods = Vec::new();
    for (operation, _) in operations() {
        let (name, method) = (operation.name(), in_camel_case(operation.name()));
        methods.push(format!(
            "  {method}(request, options) {{\n    return this[PERFORM](\
             Operations.prototype.{method}, '{name}', request, options);\n  }}\n"
        ));
    }
    text.push_str(&methods.join("\n"));
    let shown = responses().flat_map(|response| response.members).filter(|member| member.is_shown);
    let mut names: Vec<_> = shown.map(|member| format!("'{}'", member.name)).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    text.push_str(&format!(
        "}}\n\n/** The members of responses that hold no payer data. */\nconst SHOWN = [{}];\n\n\
         module.exports = {{ Operations, PERFORM, SHOWN }};\n",
        names.join(", ")
    ));
    text
}

/// `operations.d.ts`.
pub(crate) fn declarations() -> String {
    let requests: Vec<_> = operations().map(|(_, request)| request.name).collect();
    let responses: Vec<_> = responses().map(|response| response.name).collect();
    let mut text = format!(
        "// {ORIGIN}\n\n// The operations of a client.\n\n\
         import type {{ {} }} from './responses.js';\n\
         import type {{ CallOptions, JsonText }} from './index.js';\n\
         import type {{ {} }} from './requests.js';\n\n\
         /** The operations, and what each takes and returns. */\n\
         export interface Operations {{\n",
        responses.join(", "),
        requests.join(", ")
    );
    for (operation, request) in operations() {
        let (name, request, response) = (operation.name(), request.name, response_of(operation));
        text.push_str(&format!("  {name}: {{ request: {request}; response: {response} }};\n"));
    }
    text.push_str(
        "}\nexport type OperationName = keyof Operations | 'access_token' | 'send';\n\n\
         /** A method for each operation. */\nexport interface OperationMethods {\n",
    );
    let mut methods = Vec::new();
    for (operation, request) in operations() {
        let definition = operation.definition();
        let method = in_camel_case(operation.name());
        let (request, response) = (request.name, response_of(operation));
        let failure = format!("With the outcome `unknown`, {}", definition.when_unknown);
        methods.push(format!(
            "  /**\n{}   *\n{}   * @throws {{PaymentsError}} as a rejection.\n   */\n  \
             {method}(request: {request} | JsonText, options?: CallOptions): Promise<{response}>;\n",
            wrapped(&doc_of_operation(definition), "   * ", "   * ", WIDTH),
            wrapped(&failure, "   * ", "   * ", WIDTH),
        ));
    }
    text.push_str(&(methods.join("\n") + "}\n"));
    text
}

fn response_of(operation: payments_core::Operation) -> &'static str {
    operation.response().map_or("SendResponse", |response| response.name)
}

/// `responses.d.ts`.
pub(crate) fn response_types() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n// The responses of the operations.\n\n\
         import type {{ Response, Open, SendResponse }} from './index.js';\n"
    );
    for codes in codes() {
        let known: Vec<_> = codes.known.iter().map(|code| format!("'{}'", code.code)).collect();
        let meanings: Vec<_> =
            codes.known.iter().map(|code| format!("`{}` {}", code.code, code.meaning)).collect();
        let doc = format!("{} {}.", codes.doc, meanings.join("; "));
        text.push_str(&format!(
            "\n/**\n{} */\nexport type {} = Open<{}>;\n",
            wrapped(&doc, " * ", " * ", WIDTH),
            codes.name,
            known.join(" | ")
        ));
    }
    for object in response_parts() {
        push_interface(&mut text, object, "");
    }
    for response in responses() {
        push_interface(&mut text, response, " extends Response");
    }
    let names: Vec<_> = responses().map(|response| response.name).collect();
    text.push_str(&format!(
        "\n/** The response to any operation. */\nexport type AnyResponse = {} | SendResponse | AccessToken;\n",
        names.join(" | ")
    ));
    text
}

fn push_interface(text: &mut String, object: &ResponseObject, extends: &str) {
    let doc = wrapped(object.doc, " * ", " * ", WIDTH);
    text.push_str(&format!("\n/**\n{doc} */\nexport interface {}{extends} {{\n", object.name));
    for member in object.members {
        let ResponseMember { name, may_be_null, .. } = member;
        // A token has only what the token server returned.
        let (mark, nothing) = match (may_be_null, object.name) {
            (false, _) => ("", ""),
            (true, "AccessToken") => ("?", ""),
            (true, _) => ("", " | null"),
        };
        let (doc, of) = (doc_of_member(member), type_of(member));
        text.push_str(&format!("  /** {doc} */\n  readonly {name}{mark}: {of}{nothing};\n"));
    }
    text.push_str("}\n");
}

fn type_of(member: &ResponseMember) -> String {
    match &member.shape {
        ResponseShape::Text([]) => "string".to_owned(),
        ResponseShape::Text(known) => {
            let known: Vec<_> = known.iter().map(|text| format!("'{text}'")).collect();
            let known = known.join(" | ");
            // The library itself sets members that are always present.
            if member.may_be_null { format!("Open<{known}>") } else { known }
        }
        ResponseShape::Integer => "number".to_owned(),
        ResponseShape::Flag => "boolean".to_owned(),
        ResponseShape::Code(codes) => codes.name.to_owned(),
        ResponseShape::Object(part) => part.name.to_owned(),
        ResponseShape::Objects(part) => format!("readonly {}[]", part.name),
    }
}
