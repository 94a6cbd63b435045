//! Decimal amounts as text.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::str::FromStr;

use crate::model::error_code::ErrorCode;
use crate::model::json::{Json, Members};

mod ambiguity;

pub use ambiguity::{Ambiguous, ambiguity};

/// The most characters of an amount.
pub const MAX_AMOUNT_LENGTH: usize = 64;

/// A decimal amount, kept as the text it was parsed from.
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
    message: Cow<'static, str>,
}

impl AmountError {
    fn of(code: ErrorCode) -> Self {
        Self { code, message: code.message().into() }
    }

    /// One comma with one or two digits after it is a decimal comma. The
    /// message then has the amount as it should be.
    fn of_comma(text: &str) -> Self {
        let mut error = Self::of(ErrorCode::AMOUNT_COMMA);
        let decimals = text.split_once(',').map_or(0, |(_, decimals)| decimals.len());
        let right = text.replace(',', ".");
        if matches!(decimals, 1 | 2) && check_amount(&right).is_ok() {
            error.message = format!("the amount has a decimal comma; write {right}").into();
        }
        error
    }

    /// A stable code, for example `amount_exponent`.
    pub fn code(&self) -> ErrorCode {
        self.code
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
    let code = if text.is_empty() {
        ErrorCode::AMOUNT_EMPTY
    } else if text.len() > MAX_AMOUNT_LENGTH {
        ErrorCode::AMOUNT_TOO_LONG
    } else if text.contains(char::is_whitespace) {
        ErrorCode::AMOUNT_WHITE_SPACE
    } else if text.contains(',') {
        return Err(AmountError::of_comma(text));
    } else if let Err(code) = check_decimal(digits) {
        code
    } else if text.starts_with('+') {
        ErrorCode::AMOUNT_PLUS_SIGN
    } else if text.starts_with('-') {
        ErrorCode::AMOUNT_NEGATIVE
    } else if digits.bytes().all(|b| matches!(b, b'0' | b'.')) {
        ErrorCode::AMOUNT_ZERO
    } else {
        return Ok(());
    };
    Err(AmountError::of(code))
}

fn check_decimal(text: &str) -> Result<(), ErrorCode> {
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let is_like_a_number = !exponent.is_empty()
            && is_digits(exponent)
            && check_decimal(mantissa) != Err(ErrorCode::AMOUNT_NOT_DECIMAL);
        let exponent = ErrorCode::AMOUNT_EXPONENT;
        return Err(if is_like_a_number { exponent } else { ErrorCode::AMOUNT_NOT_DECIMAL });
    }
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    if !has_digits || !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return Err(ErrorCode::AMOUNT_NOT_DECIMAL);
    }
    if whole.is_empty() || fraction == Some("") {
        return Err(ErrorCode::AMOUNT_MISSING_DIGIT);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(ErrorCode::AMOUNT_LEADING_ZERO);
    }
    Ok(())
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
