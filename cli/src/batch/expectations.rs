//! The expectations of a person or a script about a file. They reveal a file
//! that was cut at the end of a line.

use payments_core::ErrorCode;
use payments_core::amount::{ambiguity, same_amount};
use payments_core::inside::shown_amount;
use payments_core::rules::Rules;

use super::file::Line;
use super::totals;
use crate::args::journal::{BatchArgs, ExpectedTotal};
use crate::process::failure::Failure;

/// Refuses expected totals with two readings, as amounts of a request are.
///
/// # Errors
/// `usage`, with both readings.
pub(super) fn refuse_ambiguous(args: &BatchArgs, rules: &Rules) -> Result<(), Failure> {
    for ExpectedTotal { currency, total } in &args.expect_total {
        let found = ambiguity(total.as_str(), Some(currency)).filter(|_| rules.check_amount_digits);
        if let Some(found) = found {
            let message = format!("--expect-total {currency}: {found}");
            return Err(Failure::usage(ErrorCode::AMOUNT_AMBIGUOUS, message));
        }
    }
    Ok(())
}

/// Compares the file with the expectations.
///
/// # Errors
/// `usage` with every difference.
pub(super) fn check(args: &BatchArgs, lines: &[Line]) -> Result<(), Failure> {
    let differences = differences(args.expect_lines, &args.expect_total, lines);
    if differences.is_empty() {
        return Ok(());
    }
    let message = format!(
        "{} has {}; nothing was sent; get the whole file, or correct what you expect",
        args.file.display(),
        differences.join(", ")
    );
    Err(Failure::usage(ErrorCode::BATCH_INVALID, message))
}

fn differences(count: Option<u64>, expected: &[ExpectedTotal], lines: &[Line]) -> Vec<String> {
    let mut differences = Vec::new();
    if let Some(count) = count.filter(|count| *count != lines.len() as u64) {
        differences.push(format!("{} instead of {count}", totals::counted(lines.len())));
    }
    let totals = totals::of(lines);
    for ExpectedTotal { currency, total: expected } in expected {
        let total = totals.get(currency.as_str()).map_or("0", String::as_str);
        if !same_amount(total, expected.as_str()) {
            let (total, expected) =
                (shown_amount(total, currency), shown_amount(expected.as_str(), currency));
            differences.push(format!("{currency} {total} instead of {expected}"));
        }
    }
    let is_expected = |currency: &str| expected.iter().any(|it| it.currency == currency);
    for (currency, total) in totals {
        if !expected.is_empty() && !is_expected(currency) {
            let total = shown_amount(&total, currency);
            differences.push(format!("{currency} {total}, which is not expected"));
        }
    }
    differences
}
