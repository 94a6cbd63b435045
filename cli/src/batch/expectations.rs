//! What a person or a script expects of a file. It reveals a file that was cut
//! at the end of a line.

use std::str::FromStr;

use payments_core::Amount;
use payments_core::amount::same_amount;

use super::file::Line;
use super::totals;
use crate::failure::Failure;
use crate::journal_args::BatchArgs;

/// A currency and the total that a file must have in it: `BRL=1200.50`.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedTotal {
    currency: String,
    total: Amount,
}

impl FromStr for ExpectedTotal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (currency, total) =
            text.split_once('=').ok_or("write currency and total, such as BRL=1200.50")?;
        if currency.len() != 3 || !currency.bytes().all(|it| it.is_ascii_alphabetic()) {
            return Err("the currency must be three letters, such as BRL=1200.50".to_owned());
        }
        let total = Amount::parse(total).map_err(|error| error.to_string())?;
        Ok(Self { currency: currency.to_owned(), total })
    }
}

/// Compares the file with what is expected of it.
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
    Err(Failure::usage("batch_unexpected", message))
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
            differences.push(format!("{currency} {total} instead of {expected}"));
        }
    }
    let is_expected = |currency: &str| expected.iter().any(|it| it.currency == currency);
    for (currency, total) in totals {
        if !expected.is_empty() && !is_expected(currency) {
            differences.push(format!("{currency} {total}, which is not expected"));
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_total_has_a_currency_and_an_amount() {
        for wrong in ["", "BRL", "BRL=", "=1", "REAL=1", "BRL=1,00", "BRL=-1", "BRL 1.00"] {
            assert!(wrong.parse::<ExpectedTotal>().is_err(), "{wrong}");
        }
        let expected: ExpectedTotal = "BRL=1200.50".parse().unwrap();
        assert_eq!((expected.currency.as_str(), expected.total.as_str()), ("BRL", "1200.50"));
    }
}
