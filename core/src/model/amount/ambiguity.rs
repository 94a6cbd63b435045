//! Amounts as text with two readings: `1.500` may be 1500 or 1.50.

use std::fmt;

use super::MAX_AMOUNT_LENGTH;
use crate::model::currency::decimal_places;

/// How many digits a group of thousands has.
const GROUP: usize = 3;

/// The readings of an amount whose point may separate thousands.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ambiguous {
    /// Without the point, such as `1500`. `None` for `0.500`.
    pub whole: Option<String>,
    /// As a decimal, such as `1.50`. `None` if the currency lacks the digits.
    pub decimal: Option<String>,
    /// The decimal places of the currency, if it is known.
    places: Option<usize>,
}

/// The readings of an amount given as text, if three digits follow its point
/// and `currency` has fewer decimal places by ISO 4217. `None` as the currency
/// means that it is not known, as for a refund: then all such texts are
/// ambiguous.
///
/// In a currency that ISO 4217 does not list, it is ambiguous if one to three
/// digits without a leading zero stand before the point.
///
/// ```
/// use payments_core::amount::ambiguity;
///
/// let found = ambiguity("12.990", Some("COP")).expect("two readings");
/// assert_eq!(found.whole.as_deref(), Some("12990"));
/// assert_eq!(found.decimal.as_deref(), Some("12.99"));
/// assert!(ambiguity("12.99", Some("COP")).is_none());
/// assert!(ambiguity("12.990", Some("KWD")).is_none());
/// ```
pub fn ambiguity(text: &str, currency: Option<&str>) -> Option<Ambiguous> {
    let (whole, fraction) = text.split_once('.')?;
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || fraction.len() != GROUP {
        return None;
    }
    let has_leading_zero = whole.starts_with('0');
    let places = currency.and_then(decimal_places);
    let is_ambiguous = match (currency, places) {
        (_, Some(places)) => places < GROUP,
        (Some(_), None) => whole.len() <= GROUP && !has_leading_zero,
        (None, None) => true,
    };
    is_ambiguous.then(|| Ambiguous {
        whole: (!has_leading_zero).then(|| format!("{whole}{fraction}")),
        decimal: decimal(whole, fraction, places),
        places,
    })
}

/// The decimal reading, without three digits after the point.
fn decimal(whole: &str, fraction: &str, places: Option<usize>) -> Option<String> {
    let shortened = |places: usize| {
        let (kept, cut) = fraction.split_at_checked(places)?;
        let is_same = places > 0 && cut.bytes().all(|it| it == b'0');
        is_same.then(|| format!("{whole}.{kept}"))
    };
    match places {
        Some(places) => shortened(places),
        // Some currencies have all three digits: a fourth shows which is meant.
        None => shortened(GROUP - 1)
            .or_else(|| Some(format!("{whole}.{fraction}0")))
            .filter(|decimal| decimal.len() <= MAX_AMOUNT_LENGTH),
    }
}

/// Says that there are two readings, and how to write each.
impl fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("three digits after the point may be thousands or decimals; ")?;
        match (&self.whole, &self.decimal, self.places) {
            (Some(whole), Some(decimal), _) => {
                write!(f, "write {whole}, or {decimal} if they are decimals")
            }
            (None, Some(decimal), _) => write!(f, "write {decimal}"),
            (Some(whole), None, None) => write!(f, "write {whole}"),
            (Some(whole), None, Some(0)) => {
                write!(f, "write {whole}, since the currency has no decimals")
            }
            (Some(whole), None, Some(places)) => {
                write!(f, "write {whole}, or round it to {places} decimals")
            }
            (None, None, None | Some(0)) => {
                f.write_str("write a whole number, since the currency has no decimals")
            }
            (None, None, Some(places)) => write!(f, "round it to {places} decimals"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str, currency: Option<&str>) -> Option<(String, String)> {
        let found = ambiguity(text, currency)?;
        Some((found.whole.unwrap_or_default(), found.decimal.unwrap_or_default()))
    }

    #[test]
    fn three_digits_after_the_point_are_ambiguous() {
        for (text, currency, whole, decimal) in [
            ("150.000", Some("CLP"), "150000", ""),
            ("150.001", Some("clp"), "150001", ""),
            ("12.990", Some("COP"), "12990", "12.99"),
            ("1.500", Some("BRL"), "1500", "1.50"),
            ("1.000", Some("brl"), "1000", "1.00"),
            ("1.555", Some("BRL"), "1555", ""),
            ("1234.500", Some("BRL"), "1234500", "1234.50"),
            ("0.500", Some("BRL"), "", "0.50"),
            ("0.555", Some("BRL"), "", ""),
            ("0.500", Some("CLP"), "", ""),
            ("1.000", None, "1000", "1.00"),
            ("1.250", None, "1250", "1.25"),
            ("1.255", None, "1255", "1.2550"),
            ("0.001", None, "", "0.0010"),
            ("1234567.890", None, "1234567890", "1234567.89"),
            ("1.234", Some("XBT"), "1234", "1.2340"),
            ("123.450", Some("XBT"), "123450", "123.45"),
        ] {
            let expected = Some((whole.to_owned(), decimal.to_owned()));
            assert_eq!(readings(text, currency), expected, "{text} {currency:?}");
        }
    }

    #[test]
    fn other_texts_have_one_reading() {
        for (text, currency) in [
            ("100.100", Some("KWD")),
            ("1.500", Some("CLF")),
            ("150.00", Some("CLP")),
            ("150.0000", Some("CLP")),
            ("150000", Some("CLP")),
            ("0.123", Some("XBT")),
            ("1234.567", Some("XBT")),
            ("1.00", None),
            ("1000", None),
            ("1.0000", None),
            ("", None),
            (".500", None),
            ("1.5e3", None),
            ("1.٣٣٣", None),
            ("1.500.000", None),
            ("-1.500", None),
        ] {
            assert_eq!(readings(text, currency), None, "{text} {currency:?}");
        }
    }

    #[test]
    fn the_advised_amounts_have_one_reading_and_can_be_parsed() {
        let longest = format!("{}.555", "1".repeat(MAX_AMOUNT_LENGTH - 4));
        for text in ["1.500", "1.555", "0.500", "0.555", "123.000", &longest] {
            for currency in [None, Some("BRL"), Some("CLP"), Some("XBT")] {
                let Some(found) = ambiguity(text, currency) else { continue };
                for advised in [found.whole, found.decimal].into_iter().flatten() {
                    assert!(crate::Amount::parse(&advised).is_ok(), "{advised}");
                    assert_eq!(ambiguity(&advised, currency), None, "{advised}");
                }
            }
        }
    }

    #[test]
    fn the_message_has_the_text_to_write() {
        let two = "three digits after the point may be thousands or decimals; ";
        for (text, currency, advice) in [
            ("1.500", Some("BRL"), "write 1500, or 1.50 if they are decimals"),
            ("1.555", Some("BRL"), "write 1555, or round it to 2 decimals"),
            ("0.500", Some("BRL"), "write 0.50"),
            ("0.555", Some("BRL"), "round it to 2 decimals"),
            ("150.000", Some("CLP"), "write 150000, since the currency has no decimals"),
            ("0.500", Some("CLP"), "write a whole number, since the currency has no decimals"),
            ("1.255", None, "write 1255, or 1.2550 if they are decimals"),
        ] {
            let found = ambiguity(text, currency).map(|it| it.to_string());
            assert_eq!(found, Some(format!("{two}{advice}")), "{text} {currency:?}");
        }
    }
}
