//! Amounts keep the text they were given as.

use payments_core::amount::{Amount, AmountError, MAX_AMOUNT_LENGTH};
use payments_core::json::{Json, Members};

#[test]
fn amounts_reach_the_wire_unchanged() {
    let longest = format!("0.{}1", "0".repeat(MAX_AMOUNT_LENGTH - 3));
    let texts = [
        "0.1",
        "100.10",
        "10.00",
        "1",
        "0.01",
        "123456789012345.67",
        "12345678901234567890123456789012",
        "0.1000000000000000055511151231257827",
        "9007199254740993",
        &longest,
    ];
    for text in texts {
        let amount = Amount::parse(text).unwrap();
        assert_eq!(amount.as_str(), text);
        assert_eq!(amount.to_string(), text);
        assert_eq!(format!("{amount:?}"), format!("Amount({text})"));
        let body = Members::from([("amount_total", amount)]).to_bytes();
        assert_eq!(body, format!(r#"{{"amount_total":{text}}}"#).into_bytes());
        let read = Json::parse(&body).unwrap();
        assert_eq!(read.get("amount_total").and_then(Json::as_number_text), Some(text));
    }
}

#[test]
fn each_refusal_names_its_reason() {
    use AmountError::*;
    let too_long = "1".repeat(MAX_AMOUNT_LENGTH + 1);
    let refused = [
        ("", Empty),
        (" ", WhiteSpace),
        (" 1", WhiteSpace),
        ("1 ", WhiteSpace),
        ("1\u{a0}000", WhiteSpace),
        ("1,5", Comma),
        ("1,000.00", Comma),
        ("+1", PlusSign),
        ("-1", Negative),
        ("-0", Negative),
        ("-1.50", Negative),
        ("0", Zero),
        ("0.00", Zero),
        ("1e3", Exponent),
        ("1E3", Exponent),
        ("1.5e-3", Exponent),
        ("1e+3", Exponent),
        ("-1e3", Exponent),
        ("01", LeadingZero),
        ("00", LeadingZero),
        ("00.1", LeadingZero),
        (".5", MissingDigit),
        ("1.", MissingDigit),
        ("-.5", MissingDigit),
        (".", NotDecimal),
        ("-", NotDecimal),
        ("--1", NotDecimal),
        ("e", NotDecimal),
        ("e3", NotDecimal),
        ("1e", NotDecimal),
        ("1e3e3", NotDecimal),
        ("1.2.3", NotDecimal),
        ("NaN", NotDecimal),
        ("nan", NotDecimal),
        ("Infinity", NotDecimal),
        ("-inf", NotDecimal),
        ("1_000", NotDecimal),
        ("0x10", NotDecimal),
        ("१", NotDecimal),
        ("1０", NotDecimal),
        ("\"1\"", NotDecimal),
        (&too_long, TooLong),
    ];
    for (text, reason) in refused {
        assert_eq!(Amount::parse(text), Err(reason), "{text:?}");
        assert_eq!(text.parse::<Amount>(), Err(reason));
        assert_eq!(Amount::try_from(text.to_owned()), Err(reason));
    }
}

#[test]
fn integers_are_amounts() {
    assert_eq!(Amount::from(10_u32).as_str(), "10");
    assert_eq!(Amount::from(u64::MAX).as_str(), "18446744073709551615");
    assert_eq!(Amount::try_from(10).unwrap().as_str(), "10");
    assert_eq!(Amount::try_from(-1), Err(AmountError::Negative));
    assert_eq!(Amount::try_from(0_i64), Err(AmountError::Zero));
    assert_eq!(Amount::default().as_str(), "0");
    assert_eq!(Amount::try_from("10.50").unwrap().as_str(), "10.50");
    assert!(Amount::try_from("ten").is_err());
}

#[test]
fn reasons_have_codes_and_never_repeat_the_text() {
    let error: payments_core::error::Error = Amount::parse("4711e3").unwrap_err().into();
    assert_eq!(error.code().as_str(), "amount_exponent");
    assert!(!error.to_string().contains("4711"));
}
