//! Amounts as people are shown them, and as they write them back.

use crate::model::amount::{ambiguity, decimal_places};

/// The no-break space between groups of three digits, which no language reads
/// as a decimal separator.
const GROUP: char = '\u{a0}';

/// The amount for people, with at least the decimal places of its currency and
/// with the whole part in groups of three: `1500` in BRL is `1 500.00`. No digit
/// that was given is left out. A text that is not a decimal stays as it is.
///
/// A number that would be [ambiguous](ambiguity()) as a text, such as a JSON
/// number `10.000` in BRL, gets another zero: `10.0000`.
///
/// The spaces are no-break spaces (U+00A0). Programs get plain digits.
pub fn shown_amount(amount: &str, currency: &str) -> String {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let is_digits = |part: &str| part.bytes().all(|it| it.is_ascii_digit());
    if whole.is_empty() || amount.ends_with('.') || !is_digits(whole) || !is_digits(fraction) {
        return amount.to_owned();
    }
    let is_known = Some(currency).filter(|currency| !currency.is_empty());
    let places = match ambiguity(amount, is_known) {
        Some(_) => fraction.len() + 1,
        None => decimal_places(currency).unwrap_or(0),
    };
    let mut shown = String::with_capacity(2 * amount.len());
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            shown.push(GROUP);
        }
        shown.push(digit);
    }
    if places > 0 || !fraction.is_empty() {
        shown.push('.');
        shown.push_str(&format!("{fraction:0<places$}"));
    }
    shown
}

/// The amount without the spaces between its groups of three digits, no-break
/// ones or others: `1 500.00` is `1500.00`. `None` if spaces are elsewhere.
pub fn without_groups(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut groups = whole.split([' ', GROUP]);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<_> = groups.collect();
    let is_grouped = rest.is_empty()
        || (matches!(first.len(), 1..=3) && rest.iter().all(|group| group.len() == 3));
    let has_other_space = fraction.contains(char::is_whitespace);
    (is_grouped && !has_other_space).then(|| format!("{first}{}{fraction}", rest.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_groups_and_the_digits_of_the_currency() {
        for (amount, currency, shown) in [
            ("1500", "BRL", "1 500.00"),
            ("1500.5", "brl", "1 500.50"),
            ("162000", "CLP", "162 000"),
            ("100.00", "CLP", "100.00"),
            ("0.5", "BRL", "0.50"),
            ("1", "KWD", "1.000"),
            ("1234567.1", "CLF", "1 234 567.1000"),
            ("100.12345", "BRL", "100.12345"),
            ("999", "XYZ", "999"),
            ("12345.6", "XYZ", "12 345.6"),
            ("12345.6", "", "12 345.6"),
            // Not ten thousand.
            ("10.000", "BRL", "10.0000"),
            ("1500.125", "CLP", "1 500.1250"),
            ("10.125", "XYZ", "10.1250"),
            ("1500.125", "XYZ", "1 500.125"),
            ("10.000", "", "10.0000"),
            // Values that a service may return.
            ("-1500", "BRL", "-1500"),
            ("1e3", "BRL", "1e3"),
            ("1500.", "BRL", "1500."),
            (".5", "BRL", ".5"),
            ("", "BRL", ""),
            ("1.500.000", "BRL", "1.500.000"),
        ] {
            assert_eq!(shown_amount(amount, currency).replace(GROUP, " "), shown);
            assert!(!shown_amount(amount, currency).contains(' '), "{amount}");
        }
    }

    #[test]
    fn groups_are_read_with_any_space_and_only_where_they_belong() {
        for (text, plain) in [
            ("1\u{a0}500.00", "1500.00"),
            ("12 345 678", "12345678"),
            ("1 234\u{a0}567.8", "1234567.8"),
            ("1500.00", "1500.00"),
            ("1.500", "1.500"),
            ("1,500", "1,500"),
            ("", ""),
        ] {
            assert_eq!(without_groups(text).as_deref(), Some(plain), "{text}");
        }
        for wrong in ["15 00", "1 5000", "1500 000", " 500", "1 500 ", "1  500", "1.50 0", "1 .5"] {
            assert_eq!(without_groups(wrong), None, "{wrong}");
        }
    }
}
