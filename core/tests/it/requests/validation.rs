//! Requests that are refused before anything is sent, and their errors.

use payments_core::error::{ErrorKind, Outcome};
use payments_core::json::{Json, Members};
use payments_core::request::{CreatePayment, Payment, RawRequest, Request};
use payments_core::rules::Rules;

use crate::support::cases;

#[test]
fn every_shared_refusal_names_member_and_reason() {
    for case in cases::cases("bodies_refused.json") {
        let name = cases::text(&case, "name");
        let operation = cases::operation(&case);
        let input = cases::text(&case, "input").as_bytes();
        let error = match cases::draft(operation, input, &cases::rules(&case)) {
            Ok(_) => panic!("{name}: was accepted"),
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Validation, "{name}");
        assert_eq!(error.outcome(), Outcome::NotExecuted, "{name}");
        assert_eq!(error.code().as_str(), cases::text(&case, "code"), "{name}");
        assert_eq!(error.path(), case.get("path").and_then(Json::as_str), "{name}");
        assert_eq!(error.operation(), Some(operation), "{name}");
    }
}

/// A path would point people to a member.
#[test]
fn a_request_that_is_not_json_is_refused_as_a_whole() {
    let error = CreatePayment::from_json(br#"{"payment":{"name":"A","#).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("json_invalid", None));
    assert!(error.message().starts_with("the request is incomplete JSON"), "{error}");
    assert!(!error.message().contains("pass"), "{error}");
    let error = CreatePayment::from_json(br#"{"payment":{"name":"A","name":"B"}}"#).unwrap_err();
    assert_eq!(error.path(), Some("payment.name"));
    assert!(error.message().ends_with("; remove one of them"), "{error}");
}

#[test]
fn messages_never_hold_the_value() {
    let marker = "Zq7Xk";
    let base = r#"{"name":"a","email":"a","country":"br","payment_type_code":"a","merchant_payment_code":"a","currency_code":"BRL","amount_total":"1","document":"a"}"#;
    let base = Json::parse(base.as_bytes()).unwrap();
    let values = [
        Json::from(marker),
        Json::from(vec![Json::from(marker)]),
        Json::from(Members::from([(marker, marker)])),
    ];
    for (name, _) in base.as_object().unwrap().iter() {
        for value in &values {
            let mut payment = base.clone();
            payment.as_object_mut().unwrap().set(name, value.clone());
            let body = Members::from([("payment", payment)]).to_bytes();
            let drafted = CreatePayment::from_json(&body).unwrap().draft(&Rules::default());
            if let Err(error) = drafted {
                let shown = format!("{error} {error:?} {}", error.message());
                assert!(!shown.contains(marker), "{shown}");
            }
        }
    }
}

#[test]
fn a_default_amount_is_refused() {
    let payment = Payment {
        name: "Ana".to_owned(),
        email: "ana@example.com".to_owned(),
        country: "mx".to_owned(),
        payment_type_code: "oxxo".to_owned(),
        merchant_payment_code: "order-1".to_owned(),
        currency_code: "MXN".to_owned(),
        ..Payment::default()
    };
    let error = CreatePayment::new(payment).draft(&Rules::default()).unwrap_err();
    assert_eq!(
        (error.path(), error.code().as_str()),
        (Some("payment.amount_total"), "amount_invalid")
    );
}

#[test]
fn unusual_values_are_accepted() {
    let long = "é".repeat(5000);
    let odd = [
        ("name", long.as_str()),
        ("email", "not an e-mail"),
        ("payment_type_code", "a-method-of-tomorrow"),
        ("document", ""),
        ("document", "11222333000181"),
        ("document", "٠١٢"),
        ("currency_code", "mxn"),
        ("merchant_payment_code", "two words"),
        ("country", "zz"),
    ];
    for (name, value) in odd {
        let base = r#"{"name":"a","email":"a","country":"mx","payment_type_code":"a","merchant_payment_code":"a","currency_code":"BRL","amount_total":"1"}"#;
        let mut payment = Json::parse(base.as_bytes()).unwrap();
        payment.as_object_mut().unwrap().set(name, value);
        let body = Members::from([("payment", payment)]).to_bytes();
        let drafted = CreatePayment::from_json(&body).unwrap().draft(&Rules::default());
        assert!(drafted.is_ok(), "{name}: {:?}", drafted.err());
    }
}

#[test]
fn members_nested_too_deep_by_hand_are_refused() {
    let in_array = |inner| Json::Array(vec![inner]);
    let in_object = |inner| Json::Object(Members::from([("a", inner)]));
    let nested =
        |levels, around: fn(Json) -> Json| (0..levels).fold(Json::Null, |it, _| around(it));
    let base = || {
        CreatePayment::from_json(br#"{"payment":{"name":"a","email":"a","country":"mx","payment_type_code":"a","merchant_payment_code":"a","currency_code":"MXN","amount_total":1}}"#).unwrap()
    };
    let code = |request: CreatePayment| {
        request.draft(&Rules::default()).err().map_or("", |error| error.code().as_str())
    };
    for around in [in_array, in_object] {
        assert_eq!(code(base().extra("x", nested(127, around))), "");
        assert_eq!(code(base().extra("x", nested(128, around))), "json_too_large");
        // A payment is a separate level.
        let inside = |levels| {
            let extra = Members::from([("x", nested(levels, around))]);
            let text = || "a".to_owned();
            CreatePayment::new(Payment {
                name: text(),
                email: text(),
                country: "mx".to_owned(),
                payment_type_code: text(),
                merchant_payment_code: text(),
                currency_code: "MXN".to_owned(),
                amount_total: "1".parse().unwrap(),
                extra,
                ..Payment::default()
            })
        };
        assert_eq!(code(inside(126)), "");
        assert_eq!(code(inside(127)), "json_too_large");
    }
}

#[test]
fn a_head_of_send_may_have_null_and_no_other_member() {
    let refused = RawRequest::from_json(br#"{"method":"GET","path":"/a","qery":{}}"#, b"");
    let refused = refused.unwrap_err();
    assert_eq!(refused.code().as_str(), "member_unknown");
    assert!(!refused.message().contains("extra"), "{refused}");
    let head = br#"{"method":"GET","path":"/a","content_type":null,"query":null}"#;
    assert!(RawRequest::from_json(head, b"").unwrap().draft(&Rules::default()).is_ok());
}
