//! How an amount that a service shows compares with one that was asked for. Pure.

use payments_core::json::Json;

use super::Compared;
use crate::answer::is_blank;

/// The most significant digits that every double keeps.
const DIGITS_OF_A_DOUBLE: usize = 15;

/// Compares a shown amount with `asked`, a decimal. Services write amounts as texts
/// and as numbers; a number may have gone through a double, such as 10.499999999999999
/// for 10.50.
pub(crate) fn compare_amounts(asked: Option<&str>, shown: Option<&Json>) -> Compared {
    let Some((asked, shown)) = asked.zip(shown.filter(|it| !is_blank(it))) else {
        return Compared::NotShown;
    };
    let Some(asked_decimal) = Decimal::parse(asked) else { return Compared::NotShown };
    let text = shown.as_text_or_number();
    let Some((text, decimal)) = text.and_then(|text| Some((text, Decimal::parse(text)?))) else {
        return Compared::Unreadable;
    };
    let is_exact = asked_decimal.digits.len() <= DIGITS_OF_A_DOUBLE;
    let is_number = matches!(shown, Json::Number(_));
    let is_same_double = is_number && is_exact && text.parse::<f64>() == asked.parse::<f64>();
    Compared::of(decimal == asked_decimal || is_same_double)
}

/// A decimal: its digits without zeros at either end, and the power of ten of the
/// last one.
#[derive(PartialEq, Eq, Debug)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads digits with an optional sign, point and exponent. `None` for any other
    /// text, such as `10,50` or `R$ 10`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (is_negative, text) = match text.strip_prefix(['-', '+']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_end_matches('0');
        let zeros = all.len() - significant.len();
        let exponent = i64::from(exponent) - fraction.len() as i64 + zeros as i64;
        let digits = significant.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        Some(Self { is_negative, digits, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Compared::{Differs, NotShown, Same, Unreadable};

    #[test]
    fn amounts_are_compared_as_decimals_and_as_doubles() {
        for (asked, shown, expected) in [
            ("10.50", r#""10.50""#, Same),
            ("10.50", r#""0010.5000""#, Same),
            ("10.50", r#"" 10.50 ""#, Same),
            ("10.50", r#""+10.50""#, Same),
            ("10.50", r#""1.05e1""#, Same),
            ("100.10", r#""1.001E+2""#, Same),
            ("1050", r#""1.05e3""#, Same),
            ("10.50", r#""1050.00""#, Differs),
            ("10.50", r#""-10.50""#, Differs),
            ("10.50", r#""0""#, Differs),
            ("10.50", "10.5", Same),
            ("10.50", "1.05e1", Same),
            ("29.95", "29.949999999999999", Same),
            ("0.30", "0.29999999999999999", Same),
            ("29.95", r#""29.949999999999999""#, Differs),
            ("100.10", "100.0999999999999", Differs),
            ("500.00", "500.00000000001", Differs),
            ("12345678901234567", "12345678901234568", Differs),
            ("12345678901234567", "12345678901234567", Same),
            ("10.50", "null", NotShown),
            ("10.50", r#"" ""#, NotShown),
            ("10.50", r#""10,50""#, Unreadable),
            ("10.50", r#""1,050.00""#, Unreadable),
            ("10.50", r#""R$ 10""#, Unreadable),
            ("10.50", r#"".""#, Unreadable),
            ("10.50", r#""1e99999999999""#, Unreadable),
            ("10.50", r#""NaN""#, Unreadable),
            ("10.50", "true", Unreadable),
            ("10.50", "{}", Unreadable),
        ] {
            let json = Json::parse(shown.as_bytes()).unwrap();
            assert_eq!(compare_amounts(Some(asked), Some(&json)), expected, "{asked} {shown}");
        }
        assert_eq!(compare_amounts(Some("1"), None), NotShown);
        assert_eq!(compare_amounts(None, Some(&Json::from("1"))), NotShown);
    }
}
