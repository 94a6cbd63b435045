//! Declarations of the npm package: errors, events and the configuration.

use payments_core::config::{FIELDS, Field, Shape};
use payments_core::error::{HELP_BASE, MEMBERS};
use payments_core::observer::EVENTS;
use payments_core::report::Holds;
use payments_core::{ErrorKind, Outcome};

use super::{doc_of, in_camel, in_capital, in_pascal, wrapped};
use crate::{File, ORIGIN};

pub(super) fn files() -> Vec<File> {
    vec![
        File::new("bindings-node/errors.d.ts", errors()),
        File::new("bindings-node/events.d.ts", events()),
        File::new("bindings-node/config.d.ts", configuration()),
        File::new("bindings-node/lib/members.js", members()),
    ]
}

/// What may hold payer data. It is no property of its own, so that it gets
/// into no log by accident.
const HIDDEN: &str = "service_message";

const DETAILS: &str = "
  /** Whether the outcome is anything but `not_executed`: do not send it again. */
  get mayHaveBeenExecuted(): boolean;
  /**
   * The error as a plain object that `postMessage`, `structuredClone` and JSON keep, as they
   * do not keep the error. `PaymentsError.from` makes the error again. It has no `cause`, and
   * none of the members that may hold payer data, such as `serviceMessage` and `requestBody`.
   */
  toJSON(): PaymentsErrorReport;
  /**
   * Makes the error again from its `toJSON()`.
   * @throws {TypeError} if `report` is something else, such as a clone of the error itself.
   */
  static from(report: unknown): PaymentsError;
  /** The body that was signed and sent, at most its first 64 KiB. */
  get requestBody(): Buffer | undefined;
  /** The body of the response, at most its first 64 KiB. */
  get responseBody(): Buffer | undefined;
  /**
   * The response of a call that was aborted when its response was complete: it
   * says what was executed. The `code` is `interrupted_after_response`.
   */
  get response(): AnyResponse | undefined;
}
";

fn errors() -> String {
    let mut text = format!(
        "/// <reference types=\"node\" />\n// {ORIGIN}\n\n\
         // What can go wrong, and whether money may have moved.\n\n\
         import type {{ AnyResponse, BlockingEntry, Diagnosis, OperationName }} from './index.js';\n\n\
         /** What kind of failure it is. */\nexport type ErrorKind =\n"
    );
    for kind in ErrorKind::ALL {
        let doc = doc_of(kind, |name| format!("`{}`", in_camel(name)));
        push_doc(&mut text, &doc, "  ");
        text.push_str(&format!("  | '{kind}'\n"));
    }
    text.pop();
    text.push_str(
        ";\n\n/** Whether the operation was executed. Only after `not_executed` may it be sent again. */\n",
    );
    let outcomes = union(&Outcome::ALL.map(Outcome::as_str));
    text.push_str(&format!("export type Outcome = {outcomes};\n"));
    text.push_str("\nexport interface PaymentsErrorDetails {\n");
    for member in MEMBERS.iter().filter(|member| member.name != "message") {
        let mark = if member.may_be_null || member.name == "help" { "?" } else { "" };
        text.push_str(&format!("  {}{mark}: {};\n", in_camel(member.name), type_of(member.holds)));
    }
    text.push_str(
        "  requestBody?: Buffer;\n  responseBody?: Buffer;\n  response?: AnyResponse;\n}\n\n\
         /** An error without what may hold payer data: what its `toJSON` returns. */\n\
         export interface PaymentsErrorReport\n  \
         extends Omit<\n    PaymentsErrorDetails,\n    \
         'serviceMessage' | 'requestBody' | 'responseBody' | 'response'\n  > {\n  \
         name: 'PaymentsError';\n  message: string;\n  help: string;\n}\n",
    );
    text.push_str(
        "\n/**\n * Why a call failed, and whether money may have moved. Neither its message nor\n \
         * its inspected form holds a secret, payer data or the service's own words; the\n \
         * inspected form has the `cause`, which is your own object.\n */\n\
         export class PaymentsError extends Error {\n  \
         /** The package makes these; this is for your tests. */\n  \
         constructor(message: string, details: PaymentsErrorDetails, options?: ErrorOptions);\n  \
         readonly name: 'PaymentsError';\n",
    );
    for member in MEMBERS.iter().filter(|member| member.name != "message") {
        let (name, of) = (in_camel(member.name), type_of(member.holds));
        push_doc(&mut text, member.doc, "  ");
        let mark = if member.may_be_null { "?" } else { "" };
        text.push_str(&match member.name {
            HIDDEN => format!("  get {name}(): {of} | undefined;\n"),
            _ => format!("  readonly {name}{mark}: {of};\n"),
        });
    }
    text + DETAILS.trim_start_matches('\n')
}

fn type_of(holds: Holds) -> String {
    match holds {
        Holds::Integer => "number".to_owned(),
        Holds::Kind => "ErrorKind".to_owned(),
        Holds::Outcome => "Outcome".to_owned(),
        Holds::Operation => "OperationName".to_owned(),
        Holds::Diagnosis => "Diagnosis".to_owned(),
        Holds::JournalEntry => "BlockingEntry".to_owned(),
        Holds::OneOf(texts) => union(texts),
        _ => "string".to_owned(),
    }
}

/// The members of a report that are properties of an error.
fn members() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n'use strict';\n\n\
         /** Members of the core's report, and their names here. */\nconst MEMBERS = {{\n"
    );
    for member in MEMBERS.iter().filter(|it| !["message", HIDDEN].contains(&it.name)) {
        text.push_str(&format!("  {}: '{}',\n", member.name, in_camel(member.name)));
    }
    let outcomes = Outcome::ALL.map(|outcome| format!("'{}'", outcome.as_str())).join(", ");
    text + &format!(
        "}};\n\n/** The prefix of a code in `help`. */\nconst HELP_BASE = '{HELP_BASE}';\n\n\
         const OUTCOMES = [{outcomes}];\n\n\
         module.exports = {{ MEMBERS, HELP_BASE, OUTCOMES }};\n"
    )
}

fn events() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n// The events that an observer receives.\n\n\
         import type {{ ErrorKind, Outcome }} from './errors.js';\n\
         import type {{ OperationName }} from './index.js';\n"
    );
    for event in EVENTS {
        text.push('\n');
        push_doc(&mut text, event.doc, "");
        text.push_str(&format!("export interface {}Event {{\n", in_pascal(event.name)));
        text.push_str(&format!("  event: '{}';\n", event.name));
        for member in event.members {
            if !member.doc.is_empty() {
                push_doc(&mut text, &format!("{}.", in_capital(member.doc)), "  ");
            }
            let null = if member.may_be_null { " | null" } else { "" };
            text.push_str(&format!("  {}: {}{null};\n", member.name, type_of(member.holds)));
        }
        // Only here are they objects of the host's, whose failure can be handed on.
        let own = match event.name {
            "store_bypassed" => Some("TokenStore"),
            "journal_failed" => Some("Journal"),
            _ => None,
        };
        if let Some(own) = own {
            text.push_str(&format!(
                "  /**\n   * What a function of a `{own}` failed with: your own object, which may hold \
                 secrets. It\n   * is not enumerable, so that a log of the event does not have \
                 it.\n   */\n  readonly cause?: unknown;\n"
            ));
        }
        text.push_str("}\n");
    }
    text.push_str(
        "\n/**\n * Members that end in `_us` are whole microseconds. No event holds a secret,\n \
         * payer data, a query string or text of the service.\n */\nexport type ObserverEvent =\n",
    );
    let names = EVENTS.iter().map(|event| format!("  | {}Event", in_pascal(event.name)));
    text + &names.collect::<Vec<_>>().join("\n") + ";\n"
}

fn configuration() -> String {
    let mut text = format!(
        "// {ORIGIN}\n\n// What a client is made from.\n\n\
         import type {{ OperationName }} from './index.js';\n\n\
         /** Which credentials an operation carries. What is configured is sent. */\n\
         export interface AuthOverride {{\n  integration_key?: boolean;\n  \
         signature?: boolean;\n  bearer?: boolean;\n}}\n\n\
         /** The same as in `payments.json`. A value can be given by a file instead. */\n\
         export interface Config {{\n"
    );
    for field in FIELDS {
        let more = field.remarks();
        let doc = format!("{}. {more}", in_capital(&field.purpose()));
        push_doc(&mut text, doc.trim_end(), "  ");
        let (name, of) = (field.name, type_of_field(field));
        text.push_str(&match field.is_required {
            true => format!("  {name}: {of};\n"),
            false => format!("  {name}?: {of} | undefined;\n"),
        });
    }
    text + "}\n"
}

fn type_of_field(field: &Field) -> String {
    match field.shape {
        Shape::Integer => "number".to_owned(),
        Shape::Switch => "boolean".to_owned(),
        Shape::List => "readonly string[]".to_owned(),
        Shape::Object if field.name == "auth" => {
            "Partial<Record<Exclude<OperationName, 'access_token'>, AuthOverride>>".to_owned()
        }
        Shape::Object if field.name == "success_signs" => {
            "Partial<Record<Exclude<OperationName, 'access_token' | 'send'>, readonly string[]>>"
                .to_owned()
        }
        Shape::Object => "Readonly<Record<string, unknown>>".to_owned(),
        _ if field.known.is_empty() => "string".to_owned(),
        _ => union(field.known),
    }
}

/// A choice of texts; `*` is the rest of one.
fn union(texts: &[&str]) -> String {
    let of = |text: &&str| match text.strip_suffix('*') {
        Some(start) => format!("`{start}${{string}}`"),
        None => format!("'{text}'"),
    };
    texts.iter().map(of).collect::<Vec<_>>().join(" | ")
}

fn push_doc(text: &mut String, doc: &str, indent: &str) {
    if doc.chars().count() + indent.len() + 7 <= 100 {
        text.push_str(&format!("{indent}/** {doc} */\n"));
    } else {
        let lines = wrapped(doc, 90, &format!("{indent} * "));
        text.push_str(&format!("{indent}/**\n{lines}{indent} */\n"));
    }
}
