//! Amounts, compared with those of a decimal crate.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::Sign;
use payments_core::Amount;
use payments_core::amount::same_amount;

/// Two texts, separated by a line end.
pub(crate) fn amount(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (one, other) = text.split_once('\n').unwrap_or((text, "1"));
    let (Ok(one), Ok(other)) = (Amount::parse(one), Amount::parse(other)) else { return };
    let value = |amount: &Amount| -> BigDecimal { amount.as_str().parse().expect("a decimal") };
    assert_eq!(value(&one).sign(), Sign::Plus, "{} is not above zero", one.as_str());
    let are_same = value(&one) == value(&other);
    assert_eq!(same_amount(one.as_str(), other.as_str()), are_same, "{one:?} {other:?}");
}
