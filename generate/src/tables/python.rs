//! The exceptions, events and configuration type of the Python package.

use payments_core::config::{FIELDS, Field, Shape};
use payments_core::error::HELP_BASE;
use payments_core::observer::EVENTS;
use payments_core::report::Holds;
use payments_core::{ErrorKind, Operation, Outcome};

use super::{class_of, in_capital, in_pascal, wrapped};
use crate::{File, ORIGIN};

const PACKAGE: &str = "bindings-python/python/libpayments";

pub(super) fn files() -> Vec<File> {
    vec![
        File::new(format!("{PACKAGE}/_kinds.py"), kinds()),
        File::new(format!("{PACKAGE}/_events.py"), events()),
        File::new(format!("{PACKAGE}/_config.py"), configuration()),
        File::with_parts(
            &format!("{PACKAGE}/__init__.py"),
            &[("kinds", imports()), ("events", event_imports()), ("names", names())],
        ),
    ]
}

/// The class of a kind. Python has its own `TimeoutError`, and asyncio its own
/// `CancelledError`.
pub(super) fn error_class(kind: ErrorKind) -> String {
    let call = matches!(kind, ErrorKind::Timeout | ErrorKind::Cancelled);
    format!("{}{}Error", if call { "Call" } else { "" }, class_of(kind))
}

/// Whether the class is written by hand, since it does more than name its kind.
fn is_by_hand(kind: ErrorKind) -> bool {
    kind == ErrorKind::Cancelled
}

/// What only Python users need to know about a kind.
fn remark_on(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Timeout => {
            "It is not a :class:`TimeoutError`, so that code that retries timeouts does \
             not repeat a payment."
        }
        ErrorKind::Internal => {
            "The code ``no_thread`` is not a bug: the system gave no thread for the call."
        }
        _ => "",
    }
}

pub(super) fn event_class(name: &str) -> String {
    format!("{}Event", in_pascal(name))
}

fn sorted_classes() -> Vec<String> {
    let mut classes: Vec<_> = ErrorKind::ALL.into_iter().map(error_class).collect();
    classes.sort();
    classes
}

fn kinds() -> String {
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"A class for each kind of failure.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from ._errors import CallCancelledError, PaymentsError\n"
    );
    for kind in ErrorKind::ALL.into_iter().filter(|kind| !is_by_hand(*kind)) {
        let more = super::more_of(kind, |name| format!(":attr:`{name}`"));
        let more = format!("{} {}", in_rst(&more), remark_on(kind));
        text.push_str(&format!("\n\nclass {}(PaymentsError):\n", error_class(kind)));
        push_doc(&mut text, kind.meaning(), &more);
        text.push_str(&format!("\n    kind = \"{kind}\"\n"));
    }
    text.push_str("\n\nCLASSES: dict[str, type[PaymentsError]] = {\n");
    for kind in ErrorKind::ALL {
        text.push_str(&format!("    \"{kind}\": {},\n", error_class(kind)));
    }
    text.push_str("}\n\"\"\"The class of each kind.\"\"\"\n");
    text.push_str(&format!(
        "\nHELP_BASE = \"{HELP_BASE}\"\n\"\"\"The prefix of a code in ``help``.\"\"\"\n"
    ));
    text
}

fn push_doc(text: &mut String, doc: &str, more: &str) {
    let more = wrapped(more, 99, "    ");
    match more.trim() {
        "" => text.push_str(&format!("    \"\"\"{doc}\"\"\"\n")),
        _ => text.push_str(&format!("    \"\"\"{doc}\n\n{more}    \"\"\"\n")),
    }
}

fn events() -> String {
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"The events that an observer receives.\"\"\"\n\n\
         from __future__ import annotations\n\nfrom typing import Literal, TypedDict\n\n"
    );
    push_literal(&mut text, "Operation", &Operation::ALL.map(|it| it.name()));
    text.push_str("\"\"\"An operation by its name.\"\"\"\n\n");
    push_literal(&mut text, "ErrorKind", &ErrorKind::ALL.map(ErrorKind::as_str));
    text.push_str(
        "\"\"\"What kind of failure it is: ``kind`` of a :class:`PaymentsError`.\"\"\"\n",
    );
    for event in EVENTS {
        text.push_str(&format!("\n\nclass {}(TypedDict):\n", event_class(event.name)));
        text.push_str(&format!("    \"\"\"{}\"\"\"\n\n", in_rst(event.doc)));
        text.push_str(&format!("    event: Literal[\"{}\"]\n", event.name));
        for member in event.members {
            let of = match member.holds {
                Holds::Integer => "int".to_owned(),
                Holds::Operation => "Operation".to_owned(),
                Holds::Kind => "ErrorKind".to_owned(),
                Holds::Outcome => literal(&Outcome::ALL.map(Outcome::as_str)),
                Holds::OneOf(texts) => literal(texts),
                _ => "str".to_owned(),
            };
            let none = if member.may_be_null { " | None" } else { "" };
            text.push_str(&format!("\n    {}: {of}{none}\n", member.name));
            if !member.doc.is_empty() {
                let doc = in_rst(&in_capital(member.doc));
                text.push_str(&format!("    \"\"\"{doc}.\"\"\"\n"));
            }
        }
    }
    let classes: Vec<_> = EVENTS.iter().map(|it| event_class(it.name)).collect();
    text.push_str(&format!("\n\nEvent = (\n    {}\n)\n", classes.join("\n    | ")));
    text.push_str(
        "\"\"\"Something that happened during a call. The member ``event`` says what.\n\n\
         Members that end in ``_us`` are whole microseconds. No event holds a secret,\n\
         payer data, a query string or text of the service. Further releases may add\n\
         events and members: ignore those that you do not know.\n\"\"\"\n",
    );
    text
}

fn push_literal(text: &mut String, name: &str, texts: &[&str]) {
    text.push_str(&format!("{name} = Literal[\n"));
    for one in texts {
        text.push_str(&format!("    \"{one}\",\n"));
    }
    text.push_str("]\n");
}

fn literal(texts: &[&str]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    format!("Literal[{}]", texts.join(", "))
}

fn configuration() -> String {
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"The members of the configuration.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         import sys\nfrom collections.abc import Mapping\nfrom os import PathLike\n\
         from typing import TYPE_CHECKING, Literal, TypedDict\n\n\
         from ._protocols import Journal, TokenStore\nfrom ._types import CredentialChoice\n\n\
         if TYPE_CHECKING:\n    from typing_extensions import Required\n\
         elif sys.version_info >= (3, 11):\n    from typing import Required\n\n\n\
         class Configuration(TypedDict, total=False):\n    \
         \"\"\"Everything that a client is made from.\n\n    \
         A ``token_store`` may also be a :class:`TokenStore` of your own, and a\n    \
         ``journal`` a :class:`Journal`.\n    \"\"\"\n"
    );
    for field in FIELDS {
        let of = match field.is_required {
            true => format!("Required[{}]", type_of(field)),
            false => format!("{} | None", type_of(field)),
        };
        text.push_str(&format!("\n    {}: {of}\n", field.name));
        let purpose = match field.shape {
            Shape::Switch => {
                field.purpose().replace("`true`)", "`True`)").replace("`false`)", "`False`)")
            }
            _ => field.purpose(),
        };
        let doc = in_rst(&format!("{}.", in_capital(&purpose)));
        let more = in_rst(&field.remarks());
        match doc.len() + 10 <= 100 {
            true => push_doc(&mut text, &doc, &more),
            false => {
                let doc = wrapped(&format!("\"\"\"{doc} {more}"), 99, "    ");
                text.push_str(&format!("{doc}    \"\"\"\n"));
            }
        }
    }
    text
}

fn type_of(field: &Field) -> String {
    let is_open = field.known.is_empty() || field.known.iter().any(|it| it.ends_with('*'));
    match field.shape {
        Shape::Path => "str | PathLike[str]".to_owned(),
        Shape::Integer => "int".to_owned(),
        Shape::Switch => "bool".to_owned(),
        Shape::List => "list[str]".to_owned(),
        Shape::Object if field.name == "auth" => "Mapping[str, CredentialChoice]".to_owned(),
        Shape::Object if field.name == "success_signs" => "Mapping[str, list[str]]".to_owned(),
        Shape::Object => "Mapping[str, object]".to_owned(),
        _ if field.name == "token_store" => "str | TokenStore".to_owned(),
        _ if field.name == "journal" => "str | Journal".to_owned(),
        _ if is_open => "str".to_owned(),
        _ => literal(field.known),
    }
}

/// The imports of exceptions. The blank line separates the end marker from
/// the next imports.
fn imports() -> String {
    let by_hand = ErrorKind::ALL.into_iter().filter(|kind| is_by_hand(*kind)).map(error_class);
    let by_hand: Vec<_> = by_hand.collect();
    let mut made = sorted_classes();
    made.retain(|class| !by_hand.contains(class));
    list("from ._kinds import (", "    ", &made, ")") + "\n"
}

fn event_imports() -> String {
    let names = event_names();
    list("    from ._events import (", "        ", &names, "    )") + "\n"
}

/// The names imported from the events module.
fn event_names() -> Vec<String> {
    let mut names: Vec<_> = EVENTS.iter().map(|it| event_class(it.name)).collect();
    names.extend(["ErrorKind", "Event", "Operation"].map(str::to_owned));
    names.sort();
    names
}

fn list(start: &str, indent: &str, names: &[String], end: &str) -> String {
    let names: String = names.iter().map(|name| format!("{indent}{name},\n")).collect();
    format!("{start}\n{names}{end}\n")
}

fn names() -> String {
    let quoted = |names: Vec<String>| -> Vec<String> {
        names.into_iter().map(|name| format!("\"{name}\"")).collect()
    };
    let mut all = [sorted_classes(), event_names()].concat();
    all.sort();
    let all = list("__all__ += [", "    ", &quoted(all), "]");
    let later = list("_EVENTS = (", "    ", &quoted(event_names()), ")");
    format!("{all}\n{later}_LATER.update(dict.fromkeys(_EVENTS, \"_events\"))\n")
}

/// Doubles the backticks around code, except in roles.
fn in_rst(text: &str) -> String {
    let text = text.replace('`', "``");
    let mut parts = text.split(":``");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str(":`");
        whole.push_str(&part.replacen("``", "`", 1));
    }
    whole
}
