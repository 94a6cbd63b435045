//! A failure as text for a person at a terminal.

use payments_base::utc::iso_8601;
use payments_core::json::{Json, Members};

use super::causes;
use super::journal_text::without_controls;
use super::wrapping::push_hanging;

/// The column at which texts begin, as in `payments check`.
const START: usize = 9;

/// Members of a report that have their own lines, and `help`, which is a command there.
const WITH_A_LINE: [&str; 8] =
    ["message", "path", "outcome", "advice", "service_message", "diagnosis", "problems", "help"];

/// The report of a failure as text. `next` has the commands to type next, and `bold` styles
/// the labels.
pub fn text_of_failure(report: &Members, next: &[String], bold: impl Fn(&str) -> String) -> String {
    let member = |name: &str| report.get(name).and_then(Json::as_str);
    let mut rows = Rows { text: String::new(), bold };
    let message = member("message").unwrap_or_default();
    let about = member("path").map(|path| format!("{path}: ")).unwrap_or_default();
    rows.push("error", &format!("{about}{message}"));
    let problems = report.get("problems").and_then(Json::as_array).unwrap_or_default();
    for problem in causes::grouped(problems) {
        push_hanging(&mut rows.text, &" ".repeat(START), START + 2, &problem);
    }
    if let Some(outcome) = member("outcome") {
        rows.push("outcome", outcome_in_words(outcome));
    }
    if let Some(advice) = member("advice") {
        rows.push("advice", advice);
    }
    let finding = report.get("diagnosis").and_then(|it| it.get("message")).and_then(Json::as_str);
    if let Some(finding) = finding.filter(|finding| !message.contains(finding)) {
        rows.push("cause", finding);
    }
    if let Some(said) = member("service_message").filter(|said| !message.contains(said)) {
        rows.push("service", said);
    }
    rows.push_commands("next", next);
    rows.push_details("details", report);
    rows.text
}

/// Lines with a label each.
struct Rows<B> {
    text: String,
    bold: B,
}

impl<B: Fn(&str) -> String> Rows<B> {
    fn push(&mut self, label: &str, text: &str) {
        let label = self.label(label);
        push_hanging(&mut self.text, &label, START, &without_controls(text));
    }

    /// Commands are not wrapped, so that they can be copied.
    fn push_commands(&mut self, label: &str, commands: &[String]) {
        let mut first = self.label(label);
        for command in commands {
            self.text.push_str(&format!("{first}{}\n", without_controls(command)));
            first = " ".repeat(START);
        }
    }

    /// The other members of the report.
    fn push_details(&mut self, label: &str, report: &Members) {
        let others = report.iter().filter(|(name, _)| !WITH_A_LINE.contains(name));
        let details: Vec<_> = others.filter_map(|(name, value)| detail(name, value)).collect();
        self.push(label, &details.join(", "));
    }

    fn label(&self, label: &str) -> String {
        (self.bold)(&format!("{label:<START$}"))
    }
}

fn outcome_in_words(outcome: &str) -> &str {
    match outcome {
        "not_executed" => "not executed",
        "unknown" => "unknown: it may have been executed",
        "executed" => "executed, by this call or an earlier one",
        other => other,
    }
}

/// A member with its value; `None` if it says nothing.
fn detail(name: &str, value: &Json) -> Option<String> {
    let value = match value {
        Json::Null => return None,
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Array(elements) if elements.is_empty() => return None,
        Json::Array(elements) if elements.iter().all(|it| matches!(it, Json::Number(_))) => {
            causes::listed(elements)
        }
        Json::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(in_words).collect();
            elements.join(" ")
        }
        other => match other.as_u64().filter(|_| name.ends_with("_at")) {
            Some(time) => iso_8601(time),
            None => in_words(other),
        },
    };
    (name != "attempts" || value != "0").then(|| format!("{name} {value}"))
}

fn in_words(value: &Json) -> String {
    match value {
        Json::Object(members) => {
            let members: Vec<_> =
                members.iter().filter_map(|(name, value)| detail(name, value)).collect();
            format!("({})", members.join(", "))
        }
        other => other.as_text_or_number().map_or_else(|| other.to_text(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_report_is_lost_and_controls_are_not_obeyed() {
        let report = Json::parse(
            br#"{"kind":"journal","code":"unresolved","message":"a\u001bb","outcome":"unknown",
            "advice":"ask","path":"entry","reference":"r-1","service_message":"s\u001b[2J",
            "http_status":null,"attempts":0,"help":"payments explain unresolved",
            "read_from":["a","b"],"lines":[1,2,3,4,5],"response_printed":true,"open":[],
            "journal_entry":{"id":"7","state":"unknown","hash":null,"has_same_body":false,
            "created_at":1700000000000},"problems":[{"line":3,"column":null,"message":"m"}]}"#,
        );
        let Ok(Json::Object(report)) = report else { panic!("an object") };
        let next = ["payments journal recover", "payments explain unresolved"].map(str::to_owned);
        let text = text_of_failure(&report, &next, str::to_owned);
        assert_eq!(
            text,
            "error    entry: a b\n         line 3: m\noutcome  unknown: it may have been executed\n\
             advice   ask\nservice  s [2J\nnext     payments journal recover\n         payments \
             explain unresolved\ndetails  kind journal, code unresolved, reference r-1, read_from a \
             b, lines 1,\n         2, 3 and 2 more, response_printed yes, journal_entry (id 7, \
             state\n         unknown, has_same_body no, created_at 2023-11-14T22:13:20Z)\n"
        );
    }
}
