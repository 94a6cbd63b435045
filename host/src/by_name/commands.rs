//! The commands of the packages, with JSON in and out.

use std::sync::Arc;

use payments_core::CallContext;
use payments_core::error::{Error, ErrorCode};
use payments_core::json::Json;

use super::input::Input;
use super::own_journal::OwnJournal;
use crate::commands::{Invocation, Problem, printed_report};

/// The plan for a package that was started as the command `journal`, `follow` or
/// `explain`. `input` is an object with `program` (the command as people type
/// it), `arguments` (an array of texts), `database` (how this package names
/// one, for help), `is_terminal` (a flag) of standard output, and `explain` (the
/// command that explains a code, such as `npx libpayments explain`, for `help` of
/// a failure; by default `payments explain`). Without
/// `database`, a framework has the client, and `program` is its command for the
/// journal.
///
/// The result has `stdout`, `stderr` and `exit_code`: print these, and after a failure
/// `stderr_text` instead if standard error is a terminal. With `is_list`, a reader that
/// has left ends the command quietly. Or its `exit_code` is null, and `action` says what to do:
///
/// - `create`: make the table in `database`, then print `stdout`.
/// - `journal`: open `database`, make a client with it, and give `program`,
///   `arguments` and `is_terminal` to [`journal_command`](super::journal_command).
/// - `follow`: the same with [`follow_command`](super::follow_command);
///   `database` may be null.
///
/// The client is that of the configuration in `file`, or null, which the
/// environment overrides if `with_env` says so.
///
/// # Errors
/// `validation` if the input has other members.
pub fn command_plan(input: &[u8]) -> Result<Json, Error> {
    const KNOWN: &[&str] = &["program", "arguments", "database", "is_terminal", "explain"];
    let input = Input::of_members(KNOWN, input)?;
    // It is opened after this.
    let journal = OwnJournal::new(|_: &CallContext, _: &str, _: &Json| {
        Err("the database is not open".to_owned().into())
    });
    let invocation = Invocation {
        program: input.required("program", input.text("program")?)?,
        arguments: input.texts("arguments")?,
        database: input.text("database")?,
        journal: Arc::new(journal),
        is_terminal: input.flag("is_terminal")?.unwrap_or(false),
        explain: input.text("explain")?,
    };
    Ok(invocation.plan())
}

/// The output of a command that failed in its package: `stdout`, `stderr` and
/// `exit_code`. `input` is an object with `explain`, as for [`command_plan`], and
/// with the `report` of an error, or a `problem` and its `message`:
///
/// - `database`: the package cannot open it.
/// - `driver`: its driver is not installed.
/// - `journal`: it does not work.
/// - `output`: standard output could not be written.
///
/// # Errors
/// `validation` if the input has other members.
pub fn command_failure(input: &[u8]) -> Result<Json, Error> {
    let input = Input::of_members(&["report", "problem", "message", "explain"], input)?;
    let explain = input.text("explain")?;
    if let Some(report) = input.object("report")? {
        return Ok(printed_report(report, explain));
    }
    let message = input.required("message", input.text("message")?)?;
    let problem = match input.required("problem", input.text("problem")?)? {
        "database" => Problem::Database(message),
        "driver" => Problem::Driver(message),
        "journal" => Problem::Journal(message),
        "output" => Problem::Output(message),
        _ => {
            let message = "must be one of database, driver, journal and output";
            return Err(Error::validation("problem", ErrorCode::VALUE_INVALID, message));
        }
    };
    Ok(problem.printed(explain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    const DATABASE: &str = r#","database":"pgsql:shop""#;

    /// The plan for these words, which has all of these parts.
    fn assert_planned(words: &[&str], more: &str, parts: &[&str]) {
        let words = Json::from(words.iter().map(|it| Json::from(*it)).collect::<Vec<_>>());
        let input = format!(r#"{{"program":"shop","arguments":{}{more}}}"#, words.to_text());
        let plan = command_plan(input.as_bytes()).unwrap().to_text();
        for part in parts {
            assert!(plan.contains(part), "{part} in {plan}");
        }
    }

    #[test]
    fn a_package_opens_the_database_and_makes_the_client() {
        let folder = Folder::new();
        let config = folder.write("c.json", br#"{"base_url":"http://127.0.0.1:1"}"#);
        let config = config.to_str().unwrap();
        let file = format!(r#""file":"{config}","with_env":false"#);
        let terminal = format!(r#"{DATABASE},"is_terminal":true"#);
        // A journal is read without credentials.
        let list = ["--config", config, "journal", "list", "--open", "--database=d"];
        let planned = r#""action":"journal","stdout":""#;
        let arguments = r#""program":"shop journal","arguments":["list","--open","--"],"is_terminal":true,"database":"d""#;
        assert_planned(&list, &terminal, &[r#""exit_code":null"#, planned, arguments, &file]);
        let json = [&list[..], &["--json"]].concat();
        assert_planned(&json, &terminal, &[r#""is_terminal":false"#]);
        let create = ["journal", "create", "--database", "d"];
        let expected = [r#""action":"create","stdout":"Made the table payments_journal.\n""#];
        assert_planned(&create, &terminal, &expected);
        assert_planned(&create, DATABASE, &[r#""stdout":"{\"table\":\"payments_journal\"}\n""#]);
        let upgrade = ["journal", "upgrade", "--database", "d"];
        let expected = [
            r#""action":"upgrade","stdout":"The table payments_journal has the format of this version.\n""#,
        ];
        assert_planned(&upgrade, &terminal, &expected);
        let keyed =
            folder.write("k.json", br#"{"base_url":"http://127.0.0.1:1","integration_key":"k"}"#);
        let keyed = keyed.to_str().unwrap();
        let follow = ["follow", "order-1", "--since=1h", "--with-env", "--config", keyed];
        let arguments = r#""program":"shop","arguments":["--since=1h","--","order-1"]"#;
        let parts = [r#""action":"follow""#, arguments, r#""with_env":true"#];
        assert_planned(&follow, DATABASE, &parts);
    }

    #[test]
    fn the_rest_needs_no_database() {
        let over = |words: &[&str], more: &str, code: u8, part: &str| {
            assert_planned(words, more, &[&format!(r#""exit_code":{code}"#), part]);
        };
        over(&["--help"], DATABASE, 0, "shop follow [REFERENCE...]");
        over(&["journal", "prune", "-h"], DATABASE, 0, "shop journal resolve --from");
        over(&["help", "follow"], DATABASE, 0, "shop follow --state follow.state");
        over(&["journal", "list", "--database="], DATABASE, 2, "invalid_arguments");
        over(&["journal", "show", "--database=d"], DATABASE, 2, "invalid_arguments");
        over(&["follow", "--since=7"], DATABASE, 2, "invalid_arguments");
        let nowhere = ["follow", "order-1", "--config=/nowhere.json"];
        over(&nowhere, DATABASE, 2, r#"\"read_from\":[\"/nowhere.json\"]"#);
        over(&["explain", "--help"], DATABASE, 0, "Usage: shop explain [NAME]");
        over(&["explain", "refused"], DATABASE, 0, r#""stdout":"{\"cause\":"#);
        over(&["explain", "two", "words"], DATABASE, 2, "invalid_arguments");
        let terminal = format!(r#"{DATABASE},"is_terminal":true"#);
        over(&["explain", "timeout"], &terminal, 0, "timeout (kind of errors)");
        over(&["explain"], &terminal, 0, r"\nshop explain NAME says what to do.");
        let own = format!(r#"{DATABASE},"explain":"npx shop explain""#);
        over(&["explain", "tmeout"], &own, 2, "did you mean timeout? `npx shop explain` lists all");
    }

    #[test]
    fn a_failure_names_the_command_that_the_package_has() {
        let own = r#","explain":"npx shop explain""#;
        for (more, help) in [("", "payments explain"), (own, "npx shop explain")] {
            let part = format!(r#"\"help\":\"{help} invalid_arguments\""#);
            let words = ["journal", "list", "--database="];
            assert_planned(&words, &format!("{DATABASE}{more}"), &[&part]);
            let failed = format!(r#"{{"problem":"database","message":"why"{more}}}"#);
            let text = command_failure(failed.as_bytes()).unwrap().to_text();
            assert!(text.contains(&part), "{text}");
            let for_people = r#""stderr_text":"error    why\noutcome  not executed\n"#;
            assert!(text.contains(for_people), "{text}");
        }
    }

    #[test]
    fn a_framework_has_the_client_and_its_own_command() {
        assert_planned(
            &["show", "payout-1"],
            "",
            &[r#""action":"journal""#, r#""program":"shop","arguments":["show","--","payout-1"]"#],
        );
        assert_planned(&["create"], "", &[r#""action":"create""#]);
        assert_planned(&["upgrade"], "", &[r#""action":"upgrade""#]);
        assert_planned(&["help"], "", &["  shop prune --before", r#""exit_code":0"#]);
        assert_planned(&["list", "--config=c"], "", &["invalid_arguments"]);
    }

    #[test]
    fn a_failure_of_a_package_has_its_code_and_exit_code() {
        let code_of = |input: &str| command_failure(input.as_bytes()).map(|it| it.to_text());
        for (problem, code, exit_code) in [
            ("database", "invalid_arguments", 2),
            ("driver", "driver_missing", 2),
            ("journal", "unavailable", 1),
            ("output", "output_failed", 1),
        ] {
            let text = code_of(&format!(r#"{{"problem":"{problem}","message":"why"}}"#)).unwrap();
            assert!(text.contains(&format!(r#"\"code\":\"{code}\""#)), "{text}");
            assert!(
                text.contains("why") && text.ends_with(&format!(r#""exit_code":{exit_code}}}"#))
            );
        }
        for (outcome, exit_code) in [("not_executed", 1), ("unknown", 3), ("executed", 4)] {
            let report = format!(
                r#"{{"report":{{"kind":"journal","outcome":"{outcome}","service_message":"Maria"}}}}"#
            );
            let text = code_of(&report).unwrap();
            assert!(text.ends_with(&format!(r#""exit_code":{exit_code}}}"#)), "{text}");
            assert!(!text.contains("Maria"));
        }
        for wrong in ["{}", r#"{"problem":"other","message":"why"}"#, r#"{"report":1}"#] {
            assert!(code_of(wrong).is_err(), "{wrong}");
        }
    }
}
