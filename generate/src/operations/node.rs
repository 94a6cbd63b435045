//! The methods of the client of the npm package, and its answers.

use payments_core::operation::{AnswerMember, AnswerObject, AnswerShape};

use super::{answer_parts, answers, codes};
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
    let shown = answers().flat_map(|answer| answer.members).filter(|member| member.is_shown);
    let mut names: Vec<_> = shown.map(|member| format!("'{}'", member.name)).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    text.push_str(&format!(
        "}}\n\n/** The members of answers that hold no payer data. */\nconst SHOWN = [{}];\n\n\
         module.exports = {{ Operations, PERFORM, SHOWN }};\n",
        names.join(", ")
    ));
    text
}

/// `operations.d.ts`.
pub(crate) fn declarations() -> String {
    let requests: Vec<_> = operations().map(|(_, request)| request.name).collect();
    let answers: Vec<_> = answers().map(|answer| answer.name).collect();
    let mut text = format!(
        "// {ORIGIN}\n\n// What a client can be asked.\n\n\
         import type {{ {} }} from './answers.js';\n\
         import type {{ CallOptions, JsonText }} from './index.js';\n\
         import type {{ {} }} from './requests.js';\n\n\
         /** The operations, and what each is asked and answers. */\n\
         export interface Operations {{\n",
        answers.join(", "),
        requests.join(", ")
    );
    for (operation, request) in operations() {
        let (name, request, answer) = (operation.name(), request.name, answer_of(operation));
        text.push_str(&format!("  {name}: {{ request: {request}; answer: {answer} }};\n"));
    }
    text.push_str(
        "}\nexport type OperationName = keyof Operations | 'access_token' | 'send';\n\n\
         /** A method for each operation. */\nexport interface OperationMethods {\n",
    );
    let mut methods = Vec::new();
    for (operation, request) in operations() {
        let definition = operation.definition();
        let method = in_camel_case(operation.name());
        let (request, answer) = (request.name, answer_of(operation));
        let failure = format!("With the outcome `unknown`, {}", definition.when_unknown);
        methods.push(format!(
            "  /**\n{}   *\n{}   * @throws {{PaymentsError}} as a rejection.\n   */\n  \
             {method}(request: {request} | JsonText, options?: CallOptions): Promise<{answer}>;\n",
            wrapped(&doc_of_operation(definition), "   * ", "   * ", WIDTH),
            wrapped(&failure, "   * ", "   * ", WIDTH),
        ));
    }
    text.push_str(&(methods.join("\n") + "}\n"));
    text
}

fn answer_of(operation: payments_core::Operation) -> &'static str {
    operation.answer().map_or("SendAnswer", |answer| answer.name)
}

/// `answers.d.ts`.
pub(crate) fn answer_types() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n// What the operations answer.\n\n\
         import type {{ Answer, Open, SendAnswer }} from './index.js';\n"
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
    for object in answer_parts() {
        push_interface(&mut text, object, "");
    }
    for answer in answers() {
        push_interface(&mut text, answer, " extends Answer");
    }
    let names: Vec<_> = answers().map(|answer| answer.name).collect();
    text.push_str(&format!(
        "\n/** The answer to any operation. */\nexport type AnyAnswer = {} | SendAnswer | AccessToken;\n",
        names.join(" | ")
    ));
    text
}

fn push_interface(text: &mut String, object: &AnswerObject, extends: &str) {
    let doc = wrapped(object.doc, " * ", " * ", WIDTH);
    text.push_str(&format!("\n/**\n{doc} */\nexport interface {}{extends} {{\n", object.name));
    for member in object.members {
        let AnswerMember { name, may_be_null, .. } = member;
        // A token has only what the token server gave.
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

fn type_of(member: &AnswerMember) -> String {
    match &member.shape {
        AnswerShape::Text([]) => "string".to_owned(),
        AnswerShape::Text(known) => {
            let known: Vec<_> = known.iter().map(|text| format!("'{text}'")).collect();
            let known = known.join(" | ");
            // What is always there, the library writes.
            if member.may_be_null { format!("Open<{known}>") } else { known }
        }
        AnswerShape::Integer => "number".to_owned(),
        AnswerShape::Flag => "boolean".to_owned(),
        AnswerShape::Code(codes) => codes.name.to_owned(),
        AnswerShape::Object(part) => part.name.to_owned(),
        AnswerShape::Objects(part) => format!("readonly {}[]", part.name),
    }
}
