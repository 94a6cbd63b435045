//! Exact totals of decimal amounts.

use std::collections::BTreeMap;

use payments_core::inside::shown_amount;

use super::file::Line;

/// The total of each currency.
pub(super) fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> BTreeMap<&'l str, String> {
    let mut totals = BTreeMap::new();
    for line in lines {
        let total = totals.entry(line.currency.as_str()).or_insert_with(|| "0".to_owned());
        *total = sum(total, &line.amount);
    }
    totals
}

/// For example `3 payouts`.
pub(super) fn counted(count: usize) -> String {
    if count == 1 { "1 payout".to_owned() } else { format!("{count} payouts") }
}

/// The totals for people, for example `BRL 1 100.10, USD 5.00`.
pub(super) fn shown<'l>(lines: impl IntoIterator<Item = &'l Line>) -> String {
    let one = |(currency, total): (&str, String)| {
        format!("{currency} {}", shown_amount(&total, currency))
    };
    of(lines).into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Adds two decimal texts. Keeps the digits of the longer fraction.
fn sum(one: &str, other: &str) -> String {
    let parts = |text: &str| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        (whole.to_owned(), fraction.to_owned())
    };
    let ((whole_1, fraction_1), (whole_2, fraction_2)) = (parts(one), parts(other));
    let places = fraction_1.len().max(fraction_2.len());
    let width = whole_1.len().max(whole_2.len()) + 1;
    let digits = |whole: &str, fraction: &str| format!("{whole:0>width$}{fraction:0<places$}");
    let (one, other) = (digits(&whole_1, &fraction_1), digits(&whole_2, &fraction_2));
    let mut carry = 0;
    let mut added: Vec<u8> = one
        .bytes()
        .zip(other.bytes())
        .rev()
        .map(|(one, other)| {
            let digit = one - b'0' + other - b'0' + carry;
            carry = digit / 10;
            b'0' + digit % 10
        })
        .collect();
    added.reverse();
    let added = String::from_utf8_lossy(&added);
    let (whole, fraction) = added.split_at(width);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_added_digit_by_digit() {
        for (one, other, expected) in [
            ("0", "10.00", "10.00"),
            ("99.95", "0.05", "100.00"),
            ("0.1", "0.02", "0.12"),
            ("9", "1", "10"),
            ("12345678901234567890.5", "0.5", "12345678901234567891.0"),
        ] {
            assert_eq!(sum(one, other), expected);
        }
    }
}
