//! The command `follow`: its arguments, what it prints, and its exit code.

use std::path::Path;
use std::time::Duration;

use super::command_failure::CommandFailure;
use super::exit_codes::{EXIT_FAILED, EXIT_UNKNOWN};
use super::journal_text::without_controls;
use super::line_file::text_of;
use crate::follow::{FollowCounts, FollowEnd, FollowOptions};
use payments_core::error::ErrorCode;

const HELP: &str = "\
REFERENCE...           payments to follow, by merchant_payment_code; without any,
                       the payments and refunds of the journal
--from FILE            reads references from a file, one a line
--hash                 the references are payment hashes
--state FILE           remembers what was reported, also after a crash
--since DURATION       how far back the journal is read, by default 7d
--give-up-after DURATION
                       the age at which an open payment is given up, by default 7d
--forget DURATION      how long the state file keeps a reported end that no run
                       asks for, by default 90d; never keeps all
--per-second N         the most queries in a second, by default 5
--json                 prints JSON on a terminal too

A DURATION is a number with s, m, h or d. Prints a line for each end, in JSON
where standard output is no terminal. What is given up is queried once a day for
a year. It makes one query at a time; `payments follow` makes several.
Exit codes: 0 all are paid, refunded or cancelled; 1 a reference is invalid; 3
some are given up, or are paid but differ, or another process follows. SIGTERM
and Ctrl-C end it by that signal, or with 3 as long as something is given up.
";

/// What somebody asks of the command.
#[derive(Debug)]
pub(crate) enum Asked {
    Help,
    Follow(Box<FollowOptions>),
}

/// A text of the help.
pub(crate) const fn help() -> &'static str {
    HELP
}

/// Reads the arguments as a program got them, without `--json`.
pub(crate) fn read(arguments: &[&str]) -> Result<Asked, CommandFailure> {
    let usage = |message: String| CommandFailure::usage(ErrorCode::INVALID_ARGUMENTS, message);
    let mut options = FollowOptions::default();
    let mut references = Vec::new();
    let mut is_listed = false;
    let mut rest = arguments.iter().copied();
    while let Some(argument) = rest.next() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (argument, None),
        };
        if !name.starts_with('-') {
            references.push(argument.to_owned());
            is_listed = true;
            continue;
        }
        if matches!(name, "--help" | "-h") {
            return Ok(Asked::Help);
        }
        if name == "--hash" {
            options.by_hash = true;
            continue;
        }
        if !matches!(
            name,
            "--from" | "--state" | "--since" | "--give-up-after" | "--forget" | "--per-second"
        ) {
            return Err(usage(format!("unknown argument {argument} of follow; see --help")));
        }
        let value = value.or_else(|| rest.next());
        let value = value.ok_or_else(|| usage(format!("{name} needs a value; see --help")))?;
        let duration = || duration_of(value).map_err(|problem| usage(format!("{name} {problem}")));
        match name {
            "--from" => {
                references.extend(references_in(Path::new(value))?);
                is_listed = true;
            }
            "--state" => options.state = Some(value.into()),
            "--since" => options.since = duration()?,
            "--give-up-after" => options.give_up_after = duration()?,
            "--forget" => {
                let duration = forget_of(value);
                options.forget_after =
                    duration.map_err(|problem| usage(format!("{name} {problem}")))?;
            }
            _ => {
                let number = value.parse().ok().filter(|number| *number > 0);
                let problem = || usage("--per-second must be a number from 1".to_owned());
                options.per_second = number.ok_or_else(problem)?;
            }
        }
    }
    options.references = is_listed.then_some(references);
    Ok(Asked::Follow(Box::new(options)))
}

/// The references of a file, one a line.
///
/// # Errors
/// `usage` if it cannot be read.
pub fn references_in(path: &Path) -> Result<Vec<String>, CommandFailure> {
    let text = text_of(path)?;
    Ok(text.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect())
}

/// A duration as people write it: `90s`, `15m`, `12h` or `7d`.
///
/// # Errors
/// What is wrong with it.
pub fn duration_of(text: &str) -> Result<Duration, String> {
    let units = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
    let read = units.into_iter().find_map(|(unit, seconds)| {
        let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Duration::from_secs(u64::from(count) * seconds))
    });
    read.ok_or_else(|| "must be a number with s, m, h or d, such as 7d".to_owned())
}

/// A duration, or `never`.
///
/// # Errors
/// What is wrong with it.
pub fn forget_of(text: &str) -> Result<Duration, String> {
    match text {
        "never" => Ok(Duration::MAX),
        text => duration_of(text)
            .map_err(|_| "must be a number with s, m, h or d, such as 90d, or never".to_owned()),
    }
}

/// What the command prints when something ended.
pub fn line_of_end(end: &FollowEnd, is_for_people: bool) -> String {
    if !is_for_people {
        return end.to_json().to_text() + "\n";
    }
    let refund = end.refund_code.as_deref().or(end.uid.as_deref());
    let refund = refund.map(|code| format!(", refund {code}")).unwrap_or_default();
    let status = end.status.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
    let reason = end.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let again = if end.repeated { ", perhaps reported before" } else { "" };
    let what = end.end.as_str().replace('_', " ");
    let last = if end.is_final { ", for good" } else { "" };
    let line = format!("{}{refund}  {what}{last}{status}{again}{reason}", end.reference);
    without_controls(&line) + "\n"
}

/// The exit code when nothing is followed any more.
pub fn exit_code_of_ends(counts: FollowCounts) -> u8 {
    match counts {
        FollowCounts { failed: 1.., .. } => EXIT_FAILED,
        FollowCounts { given_up: 1.., .. } | FollowCounts { differs: 1.., .. } => EXIT_UNKNOWN,
        _ => 0,
    }
}

/// The exit code if a signal ends it, unless it ends by that signal: as long as
/// something is given up, a person must know.
pub fn exit_code_if_interrupted(counts: FollowCounts) -> Option<u8> {
    (counts.given_up > 0).then_some(EXIT_UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::follow::EndKind;
    use payments_core::operation::Operation;

    fn options(arguments: &[&str]) -> FollowOptions {
        match read(arguments) {
            Ok(Asked::Follow(options)) => *options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_are_options() {
        assert_eq!(options(&[]), FollowOptions::default());
        let given = options(&[
            "order-1",
            "--state=f",
            "--since",
            "12h",
            "order-2",
            "--give-up-after=90s",
            "--forget=never",
            "--hash",
            "--per-second",
            "10",
        ]);
        let expected = FollowOptions {
            references: Some(vec!["order-1".to_owned(), "order-2".to_owned()]),
            by_hash: true,
            state: Some("f".into()),
            since: Duration::from_secs(12 * 3600),
            give_up_after: Duration::from_secs(90),
            per_second: 10,
            forget_after: Duration::MAX,
        };
        assert_eq!(given, expected);
        assert_eq!(options(&["--forget", "30d"]).forget_after, Duration::from_secs(30 * 86_400));
        assert!(matches!(read(&["order-1", "--help"]), Ok(Asked::Help)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for arguments in [
            &["--stat", "f"][..],
            &["--state"],
            &["--since", "7"],
            &["--since", "-7d"],
            &["--forget", "soon"],
            &["--per-second", "0"],
            &["--from", "/nowhere/at/all"],
        ] {
            let failure = read(arguments).unwrap_err();
            assert_eq!(failure.exit_code, 2, "{arguments:?}");
        }
    }

    #[test]
    fn a_line_has_all_members_and_people_get_a_sentence() {
        let end = FollowEnd {
            operation: Operation::CreatePayment,
            reference: "order-1".to_owned(),
            refund_code: None,
            uid: None,
            hash: Some("5a4f".to_owned()),
            end: EndKind::GivenUp,
            status: Some("PE".to_owned()),
            repeated: true,
            is_final: false,
            reason: Some("it is still open after 7 days".to_owned()),
            code: None,
        };
        let expected = concat!(
            r#"{"operation":"create_payment","reference":"order-1","refund_code":null,"uid":null,"#,
            r#""hash":"5a4f","end":"given_up","status":"PE","repeated":true,"#,
            r#""final":false,"reason":"it is still open after 7 days","code":null}"#,
            "\n"
        );
        assert_eq!(line_of_end(&end, false), expected);
        let expected =
            "order-1  given up (PE), perhaps reported before: it is still open after 7 days\n";
        assert_eq!(line_of_end(&end, true), expected);
        let last = FollowEnd { is_final: true, repeated: false, ..end };
        let expected = "order-1  given up, for good (PE): it is still open after 7 days\n";
        assert_eq!(line_of_end(&last, true), expected);
    }

    #[test]
    fn the_exit_code_says_whether_something_is_left() {
        let code = |differs, given_up, failed| {
            let counts = FollowCounts { confirmed: 1, cancelled: 1, differs, given_up, failed };
            exit_code_of_ends(counts)
        };
        assert_eq!([code(0, 0, 0), code(0, 1, 0), code(1, 0, 0)], [0, 3, 3]);
        assert_eq!([code(0, 0, 1), code(1, 1, 1)], [1, 1]);
    }
}
