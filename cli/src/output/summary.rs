//! Responses for people, one member per line.

use payments_core::Operation;
use payments_core::json::{Json, Members};

use crate::output::qr;
use crate::output::{self, Style};

/// The member of a view that holds the whole response.
const WHOLE_RESPONSE: &str = "response";
/// The payer's next action. Its value is another member.
const NEXT_ACTION: &str = "next_action";
const INDENT: &str = "  ";

/// The typed members of a response, and its QR code if it has one.
pub(crate) fn of_response(operation: Operation, view: &Json) -> String {
    let style = Style::of_stdout();
    let mut text = format!("{}\n", style.bold(&format!("{operation}: done")));
    if let Some(members) = view.as_object() {
        push_members(&mut text, members, INDENT, Some(operation));
    }
    if let Some(code) = view.get(qr::MEMBER).and_then(Json::as_str) {
        for line in qr::lines(code, style).unwrap_or_default() {
            text.push_str(&format!("{INDENT}{line}\n"));
        }
    }
    text.push_str(&style.dim("  --json prints the whole response\n"));
    text
}

/// The meaning of the code in a member, if it is a known one of a status.
fn meaning_of(operation: Option<Operation>, name: &str, code: &str) -> Option<&'static str> {
    let operations = Operation::ALL.into_iter().filter(|it| operation.is_none_or(|of| of == *it));
    let mut codes = operations.flat_map(|it| it.definition().codes);
    let (_, meaning) = codes.find(|(member, _)| *member == name)?;
    meaning(code)
}

fn push_members(text: &mut String, members: &Members, indent: &str, operation: Option<Operation>) {
    let members =
        || members.iter().filter(|(name, value)| *name != WHOLE_RESPONSE && !value.is_null());
    let column = members().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    for (name, value) in members() {
        match value {
            Json::Array(elements) => {
                text.push_str(&format!("{indent}{name}\n"));
                for element in elements {
                    text.push_str(&format!("{indent}  {}\n", in_a_line(element)));
                }
            }
            value => text
                .push_str(&format!("{indent}{name:<column$}{}\n", worded(operation, name, value))),
        }
    }
}

fn worded(operation: Option<Operation>, name: &str, value: &Json) -> String {
    if name == NEXT_ACTION {
        return value.get("kind").map(in_a_line).unwrap_or_default();
    }
    let text = in_a_line(value);
    match (meaning_of(operation, name, &text), value) {
        (Some(meaning), _) => format!("{text} ({meaning})"),
        (None, Json::Bool(true)) => "yes".to_owned(),
        (None, Json::Bool(false)) => "no".to_owned(),
        (None, _) => text,
    }
}

fn in_a_line(value: &Json) -> String {
    match value {
        Json::Object(members) => {
            let shown = members.iter().filter(|(_, value)| !value.is_null());
            shown.map(|(_, value)| in_a_line(value)).collect::<Vec<_>>().join("  ")
        }
        other => {
            other.as_text_or_number().map_or_else(|| other.to_text(), output::without_controls)
        }
    }
}

/// Members for people, without a headline.
pub(crate) fn of_members(members: &Members) -> String {
    let mut text = String::new();
    push_members(&mut text, members, "", None);
    text
}

/// Formats a tree for people or as JSON.
pub(crate) fn text_of(json: &Json, is_for_people: bool) -> String {
    match json {
        Json::Object(members) if is_for_people => of_members(members),
        other => output::json_text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_explained_and_controls_are_not_obeyed() {
        let view = Json::parse(
            br#"{"status":"PE","is_paid":false,"refund_status":"CO","hash":"a\u001bb","gone":null,"response":{"x":1}}"#,
        )
        .unwrap();
        let text = of_members(view.as_object().unwrap());
        assert_eq!(
            text,
            "status         PE (waiting for the payer or the bank)\nis_paid        no\n\
             refund_status  CO (refunded)\nhash           a b\n"
        );
    }

    #[test]
    fn the_status_of_a_payout_has_its_own_meaning() {
        let view = Json::parse(br#"{"status":"PA","is_paid":true}"#).unwrap();
        let text = of_response(Operation::CreatePayout, &view);
        assert!(text.contains("status   PA (the payee has the money)"), "{text}");
        let text = of_response(Operation::QueryPayment, &view);
        assert!(text.contains("status   PA\n"), "{text}");
    }

    #[test]
    fn lists_have_a_line_for_each_element() {
        let view = Json::parse(br#"{"result":[{"code":"A1","status":"CREATED"}]}"#).unwrap();
        assert_eq!(of_members(view.as_object().unwrap()), "result\n  A1  CREATED\n");
    }
}
