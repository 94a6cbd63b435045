//! Decimal amounts as text.

use std::error::Error as StdError;
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Outcome};
use crate::json::Json;

/// How many characters an amount may have.
pub const MAX_AMOUNT_LENGTH: usize = 64;

/// A decimal amount, held as the text it was given as.
///
/// It was checked once and reaches the wire as that same JSON number:
/// `100.10` stays `100.10`, and 32 digits stay 32 digits. It never passes
/// through a float. The default is `0`, which every operation refuses.
///
/// Interface, "Payment request" (`amount_total`) and "Payout request"
/// (`amount`): a number, the decimal amount. The length is not stated in the
/// interface; we allow [`MAX_AMOUNT_LENGTH`] characters.
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
    /// Checks a decimal text: digits, then optionally a point and digits;
    /// more than zero.
    ///
    /// # Errors
    /// Which says what is wrong with the text and never repeats it.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        check_amount(text).map(|()| Self(text.to_owned()))
    }

    /// The amount as it is written, for example `100.10`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Zero: an amount that was not given. Every operation refuses it.
impl Default for Amount {
    fn default() -> Self {
        Self("0".to_owned())
    }
}

/// Shows the amount: it is neither a secret nor does it tell who pays.
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

impl From<Amount> for Json {
    fn from(amount: Amount) -> Self {
        Self::Number(amount.0)
    }
}

/// Why a text is not an amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AmountError {
    /// It is empty.
    Empty,
    /// It is longer than [`MAX_AMOUNT_LENGTH`].
    TooLong,
    /// It holds white space.
    WhiteSpace,
    /// It begins with a plus sign.
    PlusSign,
    /// It is less than zero.
    Negative,
    /// It is zero.
    Zero,
    /// It has an exponent.
    Exponent,
    /// It holds a comma.
    Comma,
    /// It begins with a zero that says nothing.
    LeadingZero,
    /// A digit is missing before or after the point.
    MissingDigit,
    /// It holds something else than digits and a point.
    NotDecimal,
}

impl AmountError {
    /// A stable code, for example `amount_exponent`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Empty => "amount_empty",
            Self::TooLong => "amount_too_long",
            Self::WhiteSpace => "amount_white_space",
            Self::PlusSign => "amount_plus_sign",
            Self::Negative => "amount_negative",
            Self::Zero => "amount_zero",
            Self::Exponent => "amount_exponent",
            Self::Comma => "amount_comma",
            Self::LeadingZero => "amount_leading_zero",
            Self::MissingDigit => "amount_missing_digit",
            Self::NotDecimal => "amount_not_decimal",
        }
    }

    /// What is wrong, and what to write instead.
    pub fn message(self) -> &'static str {
        match self {
            Self::Empty => "the amount is empty: write a decimal such as 100.10",
            Self::TooLong => "the amount has more than 64 characters",
            Self::WhiteSpace => "the amount holds white space: write only digits and a point",
            Self::PlusSign => "the amount begins with a plus sign: leave it out",
            Self::Negative => "the amount must be more than zero, and it is negative",
            Self::Zero => "the amount must be more than zero",
            Self::Exponent => "the amount has an exponent: write the digits out, such as 1000",
            Self::Comma => {
                "the amount holds a comma: the decimal sign is a point, and thousands are not separated"
            }
            Self::LeadingZero => "the amount begins with a zero that says nothing: leave it out",
            Self::MissingDigit => {
                "a digit is missing before or after the amount's point: write 0.5 or 1.0"
            }
            Self::NotDecimal => "the amount is not a decimal such as 100.10",
        }
    }
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl StdError for AmountError {}

impl From<AmountError> for Error {
    fn from(error: AmountError) -> Self {
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, error.code(), error.message())
    }
}

/// Checks that the text is a positive decimal without sign and exponent.
pub(crate) fn check_amount(text: &str) -> Result<(), AmountError> {
    if text.is_empty() {
        return Err(AmountError::Empty);
    }
    if text.len() > MAX_AMOUNT_LENGTH {
        return Err(AmountError::TooLong);
    }
    if text.contains(char::is_whitespace) {
        return Err(AmountError::WhiteSpace);
    }
    if text.contains(',') {
        return Err(AmountError::Comma);
    }
    let (sign, digits) = match text.as_bytes()[0] {
        sign @ (b'+' | b'-') => (Some(sign), &text[1..]),
        _ => (None, text),
    };
    check_decimal(digits)?;
    match sign {
        Some(b'+') => Err(AmountError::PlusSign),
        Some(_) => Err(AmountError::Negative),
        None if digits.bytes().all(|b| matches!(b, b'0' | b'.')) => Err(AmountError::Zero),
        None => Ok(()),
    }
}

fn check_decimal(text: &str) -> Result<(), AmountError> {
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let like_a_number = !exponent.is_empty() && is_digits(exponent) && !mantissa.is_empty();
        return Err(
            match like_a_number && check_decimal(mantissa) != Err(AmountError::NotDecimal) {
                true => AmountError::Exponent,
                false => AmountError::NotDecimal,
            },
        );
    }
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    if !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return Err(AmountError::NotDecimal);
    }
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return Err(AmountError::NotDecimal);
    }
    if whole.is_empty() || fraction == Some("") {
        return Err(AmountError::MissingDigit);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(AmountError::LeadingZero);
    }
    Ok(())
}
