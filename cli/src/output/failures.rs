//! A failure as text for a person at a terminal.

use std::io::{self, Write as _};
use std::process::ExitCode;

use payments_core::Operation;
use payments_core::inside::looks_like_hash;
use payments_core::json::{Json, Members};
use payments_host::commands::text_of_failure;

use crate::args::Global;
use crate::args::operation::name_of;
use crate::output::{Style, is_stderr_terminal};
use crate::process::failure::Failure;
use crate::process::{in_own_words, shell};

/// Writes a failure to standard error, as text if that is a terminal and `--json`
/// is not given, and returns the exit code.
pub(crate) fn report(failure: Failure, global: &Global) -> ExitCode {
    if global.json || !is_stderr_terminal() {
        return failure.report();
    }
    let report = failure.members();
    let style = Style::of(&io::stderr());
    let text = text_of_failure(report, &next(report, &program(global)), |label| style.bold(label));
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
            let is_queried =
                when_queried.map(in_own_words).iter().any(|it| member("advice") == Some(it));
            is_queried.then(|| by_reference("query-payout", "--external-reference"))?
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(report: &str) -> Option<String> {
        let Ok(Json::Object(report)) = Json::parse(report.as_bytes()) else { panic!("an object") };
        next_action(&report, "payments --config c")
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
        let queried = Operation::CreatePayout.definition().queried.unwrap();
        let advice = in_own_words(queried.advice_when_unknown);
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
