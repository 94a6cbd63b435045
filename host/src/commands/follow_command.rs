//! The command `follow`: its arguments, its output, and its exit code.

use std::path::Path;
use std::time::Duration;

use super::arguments::{Arguments, Shape, usage};
use super::command_failure::CommandFailure;
use super::exit_codes::{EXIT_FAILED, EXIT_UNKNOWN};
use super::journal_command::JSON;
use super::journal_text::without_controls;
use super::line_file::text_of;
use crate::follow::{FollowCounts, FollowEnd, FollowOptions};
use payments_core::error::ErrorCode;
use payments_core::operation::Operation;

/// The options for references other than `merchant_payment_code`.
const KINDS: &[&str] = &["--hash", "--external-reference", "--uid"];

/// The arguments of `follow`.
pub(super) static FOLLOW: Shape = Shape {
    flags: KINDS,
    values: &["--from", "--state", "--since", "--give-up-after", "--forget", "--per-second"],
    most_words: usize::MAX,
    ..Shape::of("follow")
};

/// A request to the command.
#[derive(Debug)]
pub(crate) enum FollowRequest {
    Help,
    Follow(Box<FollowOptions>),
}

/// Reads the arguments as a program got them, and the file that they name.
pub(crate) fn read(arguments: &[&str]) -> Result<FollowRequest, CommandFailure> {
    let given = Arguments::read(&FOLLOW, &JSON, arguments)?;
    if given.is_help {
        return Ok(FollowRequest::Help);
    }
    let mut options = options_of(&given)?;
    if let Some(path) = given.path("--from")? {
        options.references.get_or_insert_default().extend(references_in(Path::new(path))?);
    }
    Ok(FollowRequest::Follow(Box::new(options)))
}

/// The options of the arguments, without the references of a file.
///
/// # Errors
/// `usage` if they make no sense.
pub(super) fn options_of(given: &Arguments<'_>) -> Result<FollowOptions, CommandFailure> {
    if KINDS.iter().filter(|kind| given.has(kind)).count() > 1 {
        let message = format!("give one of {}", KINDS.join(", "));
        return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
    }
    let mut options = FollowOptions {
        by_hash: given.has("--hash"),
        by_external_reference: given.has("--external-reference"),
        by_uid: given.has("--uid"),
        ..FollowOptions::default()
    };
    for (name, value) in given.options() {
        let wrong =
            |problem: String| usage(ErrorCode::INVALID_ARGUMENTS, format!("{name} {problem}"));
        match *name {
            "--state" | "--from" => {
                given.path(name)?;
            }
            "--since" => options.since = duration_of(value).map_err(wrong)?,
            "--give-up-after" => options.give_up_after = duration_of(value).map_err(wrong)?,
            "--forget" => options.forget_after = forget_of(value).map_err(wrong)?,
            "--per-second" => {
                let number = value.parse().ok().filter(|number| *number > 0);
                options.per_second =
                    number.ok_or_else(|| wrong("must be a number from 1".to_owned()))?;
            }
            _ => {}
        }
    }
    options.state = given.value("--state").map(Into::into);
    let references = given.words.iter().map(|word| (*word).to_owned());
    options.references = (!given.words.is_empty()).then(|| references.collect());
    Ok(options)
}

/// The references of a file, one per line.
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
/// The mistake in it.
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
/// The mistake in it.
pub fn forget_of(text: &str) -> Result<Duration, String> {
    match text {
        "never" => Ok(Duration::MAX),
        text => duration_of(text)
            .map_err(|_| "must be a number with s, m, h or d, such as 90d, or never".to_owned()),
    }
}

/// The output of the command for an end.
pub fn line_of_end(end: &FollowEnd, is_for_people: bool) -> String {
    if !is_for_people {
        return end.to_json().to_text() + "\n";
    }
    let name = end.refund_code.as_deref().or(end.uid.as_deref());
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let made = match end.operation {
        Operation::RefundPayment => format!(", refund{name}"),
        Operation::CreatePayout => format!(", payout{name}"),
        _ => String::new(),
    };
    let code = end
        .code
        .as_deref()
        .filter(|_| end.operation == Operation::CreatePayout && end.reason.is_none());
    let code = code.map(|code| format!(", {code}")).unwrap_or_default();
    let status = end.status.as_deref().map(|status| format!(" ({status}{code})"));
    let status = status.unwrap_or_default();
    let reason = end.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let again = if end.repeated { ", perhaps reported before" } else { "" };
    let what = end.end.as_str().replace('_', " ");
    let last = if end.is_final { ", for good" } else { "" };
    let line = format!("{}{made}  {what}{last}{status}{again}{reason}", end.reference);
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

    fn options(arguments: &[&str]) -> FollowOptions {
        match read(arguments) {
            Ok(FollowRequest::Follow(options)) => *options,
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
            by_external_reference: false,
            by_uid: false,
            state: Some("f".into()),
            since: Duration::from_secs(12 * 3600),
            give_up_after: Duration::from_secs(90),
            per_second: 10,
            forget_after: Duration::MAX,
        };
        assert_eq!(given, expected);
        assert_eq!(options(&["--forget", "30d"]).forget_after, Duration::from_secs(30 * 86_400));
        let given = options(&["--uid", "u-1"]);
        assert!(given.by_uid && !given.by_external_reference && !given.by_hash);
        let given = options(&["--external-reference", "payout-1"]);
        assert!(given.by_external_reference && !given.by_uid && !given.by_hash);
        assert!(matches!(read(&["order-1", "--help"]), Ok(FollowRequest::Help)));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for arguments in [
            &["--stat", "f"][..],
            &["--state"],
            &["--since", "7"],
            &["--since", "-7d"],
            &["--forget", "soon"],
            &["--per-second", "0"],
            &["--from", "/nowhere/at/all"],
            &["--hash", "--external-reference", "a"],
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
            other_hash: None,
            end: EndKind::GivenUp,
            status: Some("PE".to_owned()),
            amount: Some("1.10".to_owned()),
            currency: None,
            repeated: true,
            is_final: false,
            reason: Some("it is still open after 7 days".to_owned()),
            code: None,
        };
        let expected = concat!(
            r#"{"operation":"create_payment","reference":"order-1","refund_code":null,"uid":null,"#,
            r#""hash":"5a4f","other_hash":null,"end":"given_up","status":"PE","amount":"1.10","#,
            r#""currency":null,"repeated":true,"final":false,"reason":"it is still open after 7 days","code":null}"#,
            "\n"
        );
        assert_eq!(line_of_end(&end, false), expected);
        let expected =
            "order-1  given up (PE), perhaps reported before: it is still open after 7 days\n";
        assert_eq!(line_of_end(&end, true), expected);
        let payout = FollowEnd {
            operation: Operation::CreatePayout,
            end: EndKind::Cancelled,
            status: Some("CA".to_owned()),
            uid: Some("u-1".to_owned()),
            reason: None,
            code: Some("BANK_INFO".to_owned()),
            repeated: false,
            ..end.clone()
        };
        let expected = "order-1, payout u-1  cancelled (CA, BANK_INFO)\n";
        assert_eq!(line_of_end(&payout, true), expected);
        assert!(line_of_end(&payout, false).contains(r#""code":"BANK_INFO""#));
        let paid = FollowEnd { code: None, status: Some("PA".to_owned()), uid: None, ..payout };
        let paid = FollowEnd { end: EndKind::Confirmed, ..paid };
        assert_eq!(line_of_end(&paid, true), "order-1, payout  confirmed (PA)\n");
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
