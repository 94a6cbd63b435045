//! Amounts keep the text they were given as.

use payments_core::amount::{Amount, AmountError, MAX_AMOUNT_LENGTH};
use payments_core::json::{Json, Members};
use payments_core::request::{
    CreatePayment, CreatePayout, Draft, Payee, Payment, Payout, RefundPayment, Request,
};
use payments_core::rules::Rules;
use payments_core::{Error, ErrorCode};

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
    let too_long = "1".repeat(MAX_AMOUNT_LENGTH + 1);
    let refused = [
        ("", ErrorCode::AMOUNT_INVALID),
        (" ", ErrorCode::AMOUNT_INVALID),
        (" 1", ErrorCode::AMOUNT_INVALID),
        ("1 ", ErrorCode::AMOUNT_INVALID),
        ("1\u{a0}000", ErrorCode::AMOUNT_INVALID),
        ("1,5", ErrorCode::AMOUNT_INVALID),
        ("1,000.00", ErrorCode::AMOUNT_INVALID),
        ("+1", ErrorCode::AMOUNT_INVALID),
        ("-1", ErrorCode::AMOUNT_INVALID),
        ("-0", ErrorCode::AMOUNT_INVALID),
        ("-1.50", ErrorCode::AMOUNT_INVALID),
        ("0", ErrorCode::AMOUNT_INVALID),
        ("0.00", ErrorCode::AMOUNT_INVALID),
        ("1e3", ErrorCode::AMOUNT_INVALID),
        ("1E3", ErrorCode::AMOUNT_INVALID),
        ("1.5e-3", ErrorCode::AMOUNT_INVALID),
        ("1e+3", ErrorCode::AMOUNT_INVALID),
        ("-1e3", ErrorCode::AMOUNT_INVALID),
        ("01", ErrorCode::AMOUNT_INVALID),
        ("00", ErrorCode::AMOUNT_INVALID),
        ("00.1", ErrorCode::AMOUNT_INVALID),
        (".5", ErrorCode::AMOUNT_INVALID),
        ("1.", ErrorCode::AMOUNT_INVALID),
        ("-.5", ErrorCode::AMOUNT_INVALID),
        (".", ErrorCode::AMOUNT_INVALID),
        ("-", ErrorCode::AMOUNT_INVALID),
        ("--1", ErrorCode::AMOUNT_INVALID),
        ("e", ErrorCode::AMOUNT_INVALID),
        ("e3", ErrorCode::AMOUNT_INVALID),
        ("1e", ErrorCode::AMOUNT_INVALID),
        ("1e3e3", ErrorCode::AMOUNT_INVALID),
        ("1.2.3", ErrorCode::AMOUNT_INVALID),
        ("NaN", ErrorCode::AMOUNT_INVALID),
        ("nan", ErrorCode::AMOUNT_INVALID),
        ("Infinity", ErrorCode::AMOUNT_INVALID),
        ("-inf", ErrorCode::AMOUNT_INVALID),
        ("1_000", ErrorCode::AMOUNT_INVALID),
        ("0x10", ErrorCode::AMOUNT_INVALID),
        ("१", ErrorCode::AMOUNT_INVALID),
        ("1０", ErrorCode::AMOUNT_INVALID),
        ("\"1\"", ErrorCode::AMOUNT_INVALID),
        (&too_long, ErrorCode::AMOUNT_INVALID),
    ];
    for (text, reason) in refused {
        let code = |result: Result<Amount, AmountError>| result.unwrap_err().code();
        assert_eq!(code(Amount::parse(text)), reason, "{text:?}");
        assert_eq!(code(text.parse()), reason);
        assert_eq!(code(Amount::try_from(text)), reason);
        assert_eq!(code(Amount::try_from(text.to_owned())), reason);
    }
}

#[test]
fn integers_are_amounts() {
    assert_eq!(Amount::from(10_u32).as_str(), "10");
    assert_eq!(Amount::from(u64::MAX).as_str(), "18446744073709551615");
    assert_eq!(Amount::try_from(10).unwrap().as_str(), "10");
    let code = |result: Result<Amount, AmountError>| result.unwrap_err().code();
    assert_eq!(code(Amount::try_from(-1)), ErrorCode::AMOUNT_INVALID);
    assert_eq!(code(Amount::try_from(0_i64)), ErrorCode::AMOUNT_INVALID);
    assert_eq!(Amount::default().as_str(), "0");
    assert_eq!(Amount::try_from("10.50").unwrap().as_str(), "10.50");
    assert!(Amount::try_from("ten").is_err());
}

#[test]
fn a_decimal_comma_is_refused_with_the_amount_as_it_should_be() {
    for (text, right) in [("10,50", "10.50"), ("0,5", "0.5"), ("150000,0", "150000.0")] {
        let message = Amount::parse(text).unwrap_err().to_string();
        assert_eq!(message, format!("the amount has a decimal comma; write {right}"));
    }
    let long = format!("{},50", "1".repeat(MAX_AMOUNT_LENGTH));
    for text in [
        "1,500",
        "1,250.90",
        "1.250,90",
        "1,2,3",
        "1,25,0",
        ",50",
        "10,",
        ",",
        "007,50",
        "00,50",
        "0,00",
        "-10,50",
        "+10,50",
        "1e1,5",
        "a,50",
        "10,5x",
        "１０,50",
    ] {
        let error = Amount::parse(text).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AMOUNT_INVALID, "{text}");
        assert!(error.message().starts_with("the amount contains a comma; use a point"), "{text}");
    }
    assert_eq!(Amount::parse(&long).unwrap_err().code(), ErrorCode::AMOUNT_INVALID);
}

/// A typed request keeps the text until its check, and a number has one reading.
#[test]
fn a_parsed_amount_counts_as_a_text_in_a_typed_request() {
    let refused = |request: &dyn Fn(&Rules) -> Result<Draft, Error>| {
        let lenient = Rules { check_amount_digits: false, ..Rules::default() };
        assert!(request(&lenient).is_ok());
        request(&Rules::default()).err().map(|error| error.code())
    };
    let pay = |amount: Amount, currency: &str| {
        CreatePayment::new(Payment {
            name: "Ana".to_owned(),
            email: "ana@example.com".to_owned(),
            country: "cl".to_owned(),
            payment_type_code: "webpay".to_owned(),
            merchant_payment_code: "order-1".to_owned(),
            currency_code: currency.to_owned(),
            amount_total: amount,
            ..Payment::default()
        })
    };
    let parsed = |text: &str| Amount::parse(text).unwrap();
    for (amount, currency, code) in [
        (parsed("150.000"), "CLP", Some(ErrorCode::AMOUNT_AMBIGUOUS)),
        (parsed("150.000"), "KWD", None),
        (parsed("150000"), "CLP", None),
        (Amount::from(150_000_u32), "CLP", None),
    ] {
        let request = pay(amount, currency);
        assert_eq!(refused(&|rules| request.draft(rules)), code, "{currency}");
    }
    let payout = CreatePayout::new(Payout {
        external_reference: "payout-1".to_owned(),
        country: "br".to_owned(),
        amount: parsed("1.500"),
        currency_code: "BRL".to_owned(),
        target: Some("pix_key".to_owned()),
        target_account: Some("ana@example.com".to_owned()),
        payee: Some(Payee { name: Some("Ana".to_owned()), ..Payee::default() }),
        ..Payout::default()
    });
    assert_eq!(refused(&|rules| payout.draft(rules)), Some(ErrorCode::AMOUNT_AMBIGUOUS));
    let refund = RefundPayment::by_hash("5a4f").amount(parsed("1.000"));
    assert_eq!(refused(&|rules| refund.draft(rules)), Some(ErrorCode::AMOUNT_AMBIGUOUS));
    let number = RefundPayment::from_json(br#"{"hash":"5a4f","amount":1.000}"#).unwrap();
    assert_eq!(refused(&|rules| number.draft(rules)), None);
}

#[test]
fn reasons_have_codes_and_never_repeat_the_text() {
    let error: Error = Amount::parse("4711e3").unwrap_err().into();
    assert_eq!(error.code().as_str(), "amount_invalid");
    assert!(!error.to_string().contains("4711"));
}
