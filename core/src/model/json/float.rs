//! Floats as numbers of JSON.

use super::Json;

/// The largest whole number up to which floats hold every one.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// Why a float is not a valid number of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum FloatError {
    /// It is NaN or infinite.
    NotFinite,
    /// It is a whole number beyond 2^53 - 1, and may have lost digits.
    NotExact,
}

impl Json {
    /// A number with the fewest digits that give this float, as ECMAScript
    /// (`Number::toString`) and RFC 8785 write them: `10.5`, `100`, `1e-7`.
    ///
    /// For numbers that are not amounts: amounts are
    /// [`Amount`](crate::Amount)s, which keep their digits.
    ///
    /// # Errors
    /// NaN and infinity, which JSON does not have; and a whole number beyond
    /// 2^53 - 1, which may be an id that lost its last digits.
    #[doc(hidden)]
    pub fn of_float(value: f64) -> Result<Self, FloatError> {
        if !value.is_finite() {
            return Err(FloatError::NotFinite);
        }
        if value.fract() == 0.0 && value.abs() > LARGEST_WHOLE {
            return Err(FloatError::NotExact);
        }
        Ok(Self::Number(digits_of(value)))
    }
}

/// The digits of a finite float below 2^53, or with a fraction.
fn digits_of(value: f64) -> String {
    // The shortest digits, as `-1.25e-7`.
    let text = format!("{:e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if value < 0.0 { "-" } else { "" };
    if exponent.parse().is_ok_and(|exponent: i32| exponent < -6) {
        return format!("{sign}{mantissa}e{exponent}");
    }
    format!("{sign}{}", value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_the_shortest_digits_as_javascript_writes_them() {
        for (value, digits) in [
            (10.5, "10.5"),
            (100.0, "100"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (-0.000_000_125, "-1.25e-7"),
            (2_f64.powi(-44), "5.684341886080802e-14"),
            (f64::from_bits(1), "5e-324"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (1_234_567_890_123.456_7, "1234567890123.4568"),
            (4_503_599_627_370_495.5, "4503599627370495.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
        ] {
            assert_eq!(Json::of_float(value), Ok(Json::Number(digits.to_owned())), "{value}");
            assert!(Json::number(digits).is_some());
        }
    }

    #[test]
    fn a_float_that_lost_digits_or_is_not_a_number_is_refused() {
        for value in [9_007_199_254_740_992.0, -1e16, 1e21, f64::MAX] {
            assert_eq!(Json::of_float(value), Err(FloatError::NotExact), "{value}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Json::of_float(value), Err(FloatError::NotFinite), "{value}");
        }
    }
}
