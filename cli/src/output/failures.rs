//! A failure as text for a person at a terminal.

use std::io::{self, Write as _};
use std::process::ExitCode;

use payments_base::utc::iso_8601;
use payments_core::Operation;
use payments_core::json::{Json, Members};
use payments_host::looks_like_hash;

use crate::args::Global;
use crate::args::operation::name_of;
use crate::output::{Style, causes, is_stderr_terminal, without_controls};
use crate::process::failure::Failure;
use crate::process::{pretty, shell};

/// The column at which texts begin, as in `payments check`.
const START: usize = 9;

/// Members of a report that have their own lines, and `help`, which is a command there.
const WITH_A_LINE: [&str; 8] =
    ["message", "path", "outcome", "advice", "service_message", "diagnosis", "problems", "help"];

/// Writes a failure to standard error, as text if that is a terminal and `--json`
/// is not given, and returns the exit code.
pub(crate) fn report(failure: Failure, global: &Global) -> ExitCode {
    if global.json || !is_stderr_terminal() {
        return failure.report();
    }
    let text = text_of(failure.members(), &program(global), Style::of(&io::stderr()));
    // If this fails, it cannot be reported anywhere.
    let _ = io::stderr().write_all(text.as_bytes());
    failure.exit_code()
}

/// The command with the options that choose its configuration.
fn program(global: &Global) -> String {
    let mut program = "payments".to_owned();
    if let Some(path) = &global.config {
        program.push_str(&format!(" --config {}", shell::word(&path.display().to_string())));
    }
    if global.with_env {
        program.push_str(" --with-env");
    }
    program
}

fn text_of(report: &Members, program: &str, style: Style) -> String {
    let member = |name: &str| report.get(name).and_then(Json::as_str);
    let mut rows = Rows { text: String::new(), style };
    let message = member("message").unwrap_or_default();
    let about = member("path").map(|path| format!("{path}: ")).unwrap_or_default();
    rows.push("error", &format!("{about}{message}"));
    let problems = report.get("problems").and_then(Json::as_array).unwrap_or_default();
    for problem in causes::grouped(problems) {
        pretty::push_hanging(&mut rows.text, &" ".repeat(START), START + 2, &problem);
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
    rows.push_commands("next", &next(report, program));
    rows.push_details("details", report);
    rows.text
}

/// Lines with a label each.
struct Rows {
    text: String,
    style: Style,
}

impl Rows {
    fn push(&mut self, label: &str, text: &str) {
        let label = self.label(label);
        pretty::push_hanging(&mut self.text, &label, START, &without_controls(text));
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
        self.style.bold(&format!("{label:<START$}"))
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

/// The commands to type next.
fn next(report: &Members, program: &str) -> Vec<String> {
    let explain = report.get("help").and_then(Json::as_str).map(str::to_owned);
    next_action(report, program).into_iter().chain(explain).collect()
}

fn next_action(report: &Members, program: &str) -> Option<String> {
    let member = |name: &str| report.get(name).and_then(Json::as_str);
    let operation = Operation::ALL.into_iter().find(|it| Some(it.name()) == member("operation"));
    let entry = |name: &str| report.get("journal_entry")?.get(name)?.as_str();
    let command = match (member("kind")?, entry("state")) {
        (_, Some("unknown")) => "journal recover".to_owned(),
        (_, Some("in_progress")) => format!("journal show {}", entry("id")?),
        _ if member("outcome") != Some("not_executed") => query(report, operation?)?,
        ("config", _) if report.get("read_from").and_then(Json::as_array) == Some(&[]) => {
            return Some("payments sandbox --config-out merchant".to_owned());
        }
        ("config" | "signing", _) => "check".to_owned(),
        ("connect" | "tls" | "timeout" | "token" | "transport" | "unauthorized", _) => {
            "check --online".to_owned()
        }
        ("validation", _) => format!("{} --help", name_of(operation?)),
        _ => return None,
    };
    Some(format!("{program} {command}"))
}

/// The query that finds the result of a call.
fn query(report: &Members, operation: Operation) -> Option<String> {
    let member = |name: &str| report.get(name).and_then(Json::as_str);
    let by_reference = |command: &str, option: &str| {
        let reference = shell::word(member("reference")?);
        // Else it would be taken for an option.
        let sign = if reference.starts_with('-') { '=' } else { ' ' };
        Some(format!("{command} {option}{sign}{reference}"))
    };
    match operation {
        Operation::CreatePayment => match member("payment_hash") {
            Some(hash) => Some(format!("query-payment {}", shell::word(hash))),
            None => by_reference("query-payment", "--merchant-payment-code"),
        },
        // Its reference may be another one.
        Operation::RefundPayment => {
            let hash = member("payment_hash").or_else(|| member("reference"))?;
            looks_like_hash(hash).then(|| format!("query-payment {hash}"))
        }
        Operation::CreatePayout => {
            let queried = operation.definition().queried?;
            let when_queried = [queried.advice_when_unknown, queried.advice_when_executed];
            let is_queried = when_queried.map(Some).contains(&member("advice"));
            is_queried.then(|| by_reference("query-payout", "--external-reference"))?
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(report: &str) -> String {
        let Ok(Json::Object(report)) = Json::parse(report.as_bytes()) else { panic!("an object") };
        text_of(&report, "payments", Style::plain())
    }

    fn action(report: &str) -> Option<String> {
        let Ok(Json::Object(report)) = Json::parse(report.as_bytes()) else { panic!("an object") };
        next_action(&report, "payments --config c")
    }

    #[test]
    fn nothing_of_a_report_is_lost_and_controls_are_not_obeyed() {
        let text = shown(
            r#"{"kind":"journal","code":"unresolved","message":"a\u001bb","outcome":"unknown",
            "advice":"ask","path":"entry","reference":"r-1","service_message":"s\u001b[2J",
            "http_status":null,"attempts":0,"help":"payments explain unresolved",
            "read_from":["a","b"],"lines":[1,2,3,4,5],"response_printed":true,"open":[],
            "journal_entry":{"id":"7","state":"unknown","hash":null,"has_same_body":false,
            "created_at":1700000000000},"problems":[{"line":3,"column":null,"message":"m"}]}"#,
        );
        assert_eq!(
            text,
            "error    entry: a b\n         line 3: m\noutcome  unknown: it may have been executed\n\
             advice   ask\nservice  s [2J\nnext     payments journal recover\n         payments \
             explain unresolved\ndetails  kind journal, code unresolved, reference r-1, read_from a \
             b, lines 1,\n         2, 3 and 2 more, response_printed yes, journal_entry (id 7, \
             state\n         unknown, has_same_body no, created_at 2023-11-14T22:13:20Z)\n"
        );
    }

    #[test]
    fn the_next_command_finds_out_more() {
        let hash = "0123456789abcdef".repeat(3);
        for (report, next) in [
            (
                r#""operation":"create_payment","outcome":"unknown","reference":"a b""#,
                Some("query-payment --merchant-payment-code 'a b'"),
            ),
            (
                r#""operation":"create_payment","outcome":"unknown","reference":"-a""#,
                Some("query-payment --merchant-payment-code=-a"),
            ),
            (
                r#""operation":"create_payment","outcome":"executed","payment_hash":"5a4f""#,
                Some("query-payment 5a4f"),
            ),
            (r#""operation":"refund_payment","outcome":"unknown","reference":"order-1""#, None),
            (r#""operation":"create_payout","outcome":"unknown","reference":"p-1""#, None),
            (r#""operation":"send","outcome":"unknown","reference":"s-1""#, None),
            (
                r#""operation":"create_payment","outcome":"not_executed","path":"payment""#,
                Some("create-payment --help"),
            ),
        ] {
            let report = format!(r#"{{"kind":"validation",{report}}}"#);
            let next = next.map(|it| format!("payments --config c {it}"));
            assert_eq!(action(&report), next, "{report}");
        }
        let refund = format!(
            r#"{{"kind":"timeout","operation":"refund_payment","outcome":"unknown","reference":"{hash}"}}"#
        );
        assert_eq!(action(&refund), Some(format!("payments --config c query-payment {hash}")));
        let advice = Operation::CreatePayout.definition().queried.unwrap().advice_when_unknown;
        let payout = format!(
            r#"{{"kind":"timeout","operation":"create_payout","outcome":"unknown","reference":"p-1",
            "advice":"{advice}"}}"#
        );
        let query = "payments --config c query-payout --external-reference p-1";
        assert_eq!(action(&payout).as_deref(), Some(query));
        for (kind, next) in [
            ("config", Some("payments --config c check")),
            ("tls", Some("payments --config c check --online")),
            ("usage", None),
        ] {
            let report = format!(r#"{{"kind":"{kind}","outcome":"not_executed"}}"#);
            assert_eq!(action(&report).as_deref(), next, "{kind}");
        }
        let nothing = r#"{"kind":"config","outcome":"not_executed","read_from":[]}"#;
        assert_eq!(action(nothing).as_deref(), Some("payments sandbox --config-out merchant"));
    }
}
