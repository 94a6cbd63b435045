//! Decimal amounts as text, and the decimal places of their currencies.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::str::FromStr;

use crate::model::error_code::{ErrorCode, Message};
use crate::model::json::{Json, Members};

/// The most characters of an amount.
pub const MAX_AMOUNT_LENGTH: usize = 64;

/// A decimal amount, kept as the text it was parsed from: 10.50, not 1050 cents.
///
/// It is sent as exactly that JSON number: `100.10` stays `100.10`, and 32
/// digits stay 32 digits. It is never converted to a float. The default is `0`,
/// which every operation refuses. In a request it counts as a text, so that
/// `150.000` in a currency without decimals is refused as [ambiguous](ambiguity()).
///
/// Interface, "Payment request" (`amount_total`) and "Payout request"
/// (`amount`): a number, the decimal amount. Not stated in the interface: the
/// length; we allow [`MAX_AMOUNT_LENGTH`] characters.
///
/// ```
/// use payments_core::Amount;
///
/// let amount: Amount = "100.10".parse()?;
/// assert_eq!(amount.as_str(), "100.10");
/// assert!("1e3".parse::<Amount>().is_err());
/// # Ok::<(), payments_core::amount::AmountError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Amount(String);

impl Amount {
    /// Parses a decimal text: digits, optionally followed by a point and
    /// digits; greater than zero.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        check_amount(text).map(|()| Self(text.to_owned()))
    }

    /// The amount as written, for example `100.10`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, for the check of a request: unlike a number, it may have
    /// thousands.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Zero, for an amount that was not given. Every operation refuses it.
impl Default for Amount {
    fn default() -> Self {
        Self("0".to_owned())
    }
}

/// Shows the amount, which is not secret and does not identify the payer.
impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Amount({})", self.0)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for Amount {
    type Error = AmountError;

    fn try_from(text: &str) -> Result<Self, AmountError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Amount {
    type Error = AmountError;

    fn try_from(text: String) -> Result<Self, AmountError> {
        check_amount(&text).map(|()| Self(text))
    }
}

macro_rules! amount_from_integer {
    (unsigned $($unsigned:ty)*; signed $($signed:ty)*) => {
        $(impl From<$unsigned> for Amount {
            fn from(value: $unsigned) -> Self {
                Self(value.to_string())
            }
        })*
        $(impl TryFrom<$signed> for Amount {
            type Error = AmountError;

            fn try_from(value: $signed) -> Result<Self, AmountError> {
                Self::try_from(value.to_string())
            }
        })*
    };
}
amount_from_integer!(unsigned u8 u16 u32 u64 u128; signed i8 i16 i32 i64 i128);

/// Whether two decimal texts are the same amount: `100.1` is `100.10`.
pub fn same_amount(one: &str, other: &str) -> bool {
    fn shortest(text: &str) -> (&str, &str) {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        (whole.trim_start_matches('0'), fraction.trim_end_matches('0'))
    }
    shortest(one.trim()) == shortest(other.trim())
}

impl From<Amount> for Json {
    fn from(amount: Amount) -> Self {
        Self::Number(amount.0)
    }
}

/// Why a text is not an amount.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AmountError {
    code: ErrorCode,
    has_comma: bool,
    message: Cow<'static, str>,
}

impl AmountError {
    fn of(message: Message) -> Self {
        Self { code: message.code, has_comma: false, message: message.text.into() }
    }

    /// One comma with one or two digits after it is a decimal comma. The
    /// message then has the amount as it should be.
    fn of_comma(text: &str) -> Self {
        let mut error = Self { has_comma: true, ..Self::of(Message::AMOUNT_COMMA) };
        let decimals = text.split_once(',').map_or(0, |(_, decimals)| decimals.len());
        let right = text.replace(',', ".");
        if matches!(decimals, 1 | 2) && check_amount(&right).is_ok() {
            error.message = format!("the amount has a decimal comma; write {right}").into();
        }
        error
    }

    /// A stable code, for example `amount_invalid`.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    pub(crate) fn has_comma(&self) -> bool {
        self.has_comma
    }

    /// The mistake, and the text to write instead. It shows the amount only
    /// where that is certain: `10,50` is 10.50.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl StdError for AmountError {}

/// Checks that the text is a positive decimal without sign or exponent.
pub(crate) fn check_amount(text: &str) -> Result<(), AmountError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let message = if text.is_empty() {
        Message::AMOUNT_EMPTY
    } else if text.len() > MAX_AMOUNT_LENGTH {
        Message::AMOUNT_TOO_LONG
    } else if text.contains(char::is_whitespace) {
        Message::AMOUNT_WHITE_SPACE
    } else if text.contains(',') {
        return Err(AmountError::of_comma(text));
    } else if let Err(message) = check_decimal(digits) {
        message
    } else if text.starts_with('+') {
        Message::AMOUNT_PLUS_SIGN
    } else if text.starts_with('-') {
        Message::AMOUNT_NEGATIVE
    } else if digits.bytes().all(|b| matches!(b, b'0' | b'.')) {
        Message::AMOUNT_ZERO
    } else {
        return Ok(());
    };
    Err(AmountError::of(message))
}

fn check_decimal(text: &str) -> Result<(), Message> {
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let is_like_a_number =
            !exponent.is_empty() && is_digits(exponent) && parts_of(mantissa).is_some();
        let exponent = Message::AMOUNT_EXPONENT;
        return Err(if is_like_a_number { exponent } else { Message::AMOUNT_NOT_DECIMAL });
    }
    let Some((whole, fraction)) = parts_of(text) else {
        return Err(Message::AMOUNT_NOT_DECIMAL);
    };
    if whole.is_empty() || fraction == Some("") {
        return Err(Message::AMOUNT_MISSING_DIGIT);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(Message::AMOUNT_LEADING_ZERO);
    }
    Ok(())
}

/// The digits before a point and after it, one of which may be missing.
fn parts_of(text: &str) -> Option<(&str, Option<&str>)> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let is_decimal = has_digits && is_digits(whole) && fraction.is_none_or(is_digits);
    is_decimal.then_some((whole, fraction))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// The tree for languages whose JSON parsers turn numbers into floats. Each
/// member that [names an amount](names_amount) becomes a text, and so does each
/// number that is not an integer between -(2^53 - 1) and 2^53 - 1.
pub fn amounts_as_text(tree: &Json) -> Json {
    as_text(tree, false)
}

fn as_text(value: &Json, is_amount: bool) -> Json {
    match value {
        Json::Number(text) if is_amount || !is_exact_in_a_float(text) => Json::String(text.clone()),
        Json::Array(elements) => {
            Json::Array(elements.iter().map(|element| as_text(element, is_amount)).collect())
        }
        Json::Object(members) => Json::Object(
            members
                .iter()
                .map(|(name, value)| (name, as_text(value, names_amount(name))))
                .collect::<Members>(),
        ),
        other => other.clone(),
    }
}

/// Whether a response member with that name holds an amount: the name begins
/// with `amount`.
pub fn names_amount(member: &str) -> bool {
    member.starts_with("amount")
}

/// Whether a request member with that name may hold an amount, for which no
/// language takes a float: the name contains `amount`, in any case.
pub fn may_be_amount(member: &str) -> bool {
    member.to_ascii_lowercase().contains("amount")
}

/// Whether a float holds the number exactly and prints it the same.
fn is_exact_in_a_float(text: &str) -> bool {
    const LARGEST: u64 = (1 << 53) - 1;
    text != "-0" && text.parse::<i64>().is_ok_and(|value| value.unsigned_abs() <= LARGEST)
}

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

/// The decimal places of `currency`, if `amount` has digits beyond them. Zeros
/// count as none.
pub fn exceeded_places(amount: &str, currency: &str) -> Option<usize> {
    let (_, fraction) = amount.split_once('.')?;
    decimal_places(currency).filter(|places| fraction.trim_end_matches('0').len() > *places)
}

/// How many decimal places `currency` has, in any case; `None` if ISO 4217 does
/// not list it.
pub fn decimal_places(currency: &str) -> Option<usize> {
    let is_listed =
        |codes: &str| codes.split(' ').any(|code| code.eq_ignore_ascii_case(currency.trim()));
    PLACES.into_iter().find(|(_, codes)| is_listed(codes)).map(|(places, _)| places)
}

/// Currencies by their decimal places.
const PLACES: [(usize, &str); 4] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (
        2,
        "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN \
         BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP \
         GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT \
         LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN \
         NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE \
         SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES \
         WST XCD XCG YER ZAR ZMW ZWG",
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_those_of_the_currency_are_found() {
        for (amount, currency, exceeded) in [
            ("100.123", "BRL", Some(2)),
            ("100.10", "BRL", None),
            ("100.1000", "brl", None),
            ("100.101", "Brl", Some(2)),
            ("100.55", "CLP", Some(0)),
            ("100.00", "CLP", None),
            ("100", "CLP", None),
            ("0.001", "KWD", None),
            ("0.0001", "KWD", Some(3)),
            ("1.23456", "CLF", Some(4)),
            ("1.23456", "XYZ", None),
            ("1.23456", "", None),
        ] {
            assert_eq!(exceeded_places(amount, currency), exceeded, "{amount} {currency}");
        }
    }

    #[test]
    fn every_code_is_listed_once() {
        let codes: Vec<_> = PLACES.iter().flat_map(|(_, codes)| codes.split(' ')).collect();
        let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(distinct.len(), codes.len());
        assert!(codes.iter().all(|code| code.len() == 3));
    }

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
                    assert!(Amount::parse(&advised).is_ok(), "{advised}");
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
