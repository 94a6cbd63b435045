//! Requests as they are sent.

use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use payments_core::request::{
    Address, CodeOrDetails, CreatePayment, CreatePayout, DraftBody, Item, Payee, Payment, Payout,
    QueryPayment, RawRequest, RefundPayment, RegisterTracking, Request, Tracking, TrackingDetails,
};
use payments_core::rules::Rules;

use crate::support::cases;

fn payment() -> Payment {
    Payment {
        name: "José da Silva".to_owned(),
        email: "jose@example.com".to_owned(),
        country: "br".to_owned(),
        payment_type_code: "pix".to_owned(),
        merchant_payment_code: "order-1001".to_owned(),
        currency_code: "BRL".to_owned(),
        amount_total: "100.10".parse().unwrap(),
        document: Some("853.513.468-93".to_owned()),
        ..Payment::default()
    }
}

fn body_of(request: &impl Request) -> String {
    cases::body_text(&request.draft(&Rules::default()).unwrap())
}

#[test]
fn every_shared_body_is_exact() {
    for case in cases::cases("bodies.json") {
        let name = cases::text(&case, "name");
        let operation = cases::operation(&case);
        let input = case.get("input").unwrap().to_bytes();
        let draft = cases::draft(operation, &input, &cases::rules(&case))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(draft.method, operation.method(), "{name}");
        assert_eq!(draft.path, operation.path(), "{name}");
        let body = case.get("expected_body").and_then(Json::as_str).unwrap_or_default();
        assert_eq!(cases::body_text(&draft), body, "{name}");
        let query = case.get("expected_query").and_then(Json::as_array).unwrap_or_default();
        let query: Vec<_> = query
            .iter()
            .map(|pair| pair.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()))
            .map(|mut pair| (pair.next().unwrap(), pair.next().unwrap()))
            .collect();
        assert_eq!(draft.query, query, "{name}");
    }
}

#[test]
fn typed_payment_equals_its_json() {
    let request = CreatePayment::new(payment());
    let expected = r#"{"payment":{"name":"José da Silva","email":"jose@example.com","country":"br","payment_type_code":"pix","merchant_payment_code":"order-1001","currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}"#;
    assert_eq!(body_of(&request), expected);
    assert_eq!(body_of(&CreatePayment::from_json(expected.as_bytes()).unwrap()), expected);
}

#[test]
fn plain_and_detailed_tracking_codes_mix_in_order() {
    let request = RegisterTracking::new(Tracking {
        order_number: "order-1".to_owned(),
        email: "a@example.com".to_owned(),
        tracking_code: vec![
            "AA1".to_owned().into(),
            TrackingDetails { tracking_code: "AA2".to_owned(), ..TrackingDetails::default() }
                .into(),
            "AA3".into(),
        ],
        ..Tracking::default()
    });
    assert_eq!(
        body_of(&request),
        r#"{"order_number":"order-1","email":"a@example.com","tracking_code":["AA1",{"tracking_code":"AA2"},"AA3"]}"#
    );
}

#[test]
fn extra_members_follow_the_others() {
    let extra = Members::from([("person_type", "personal")]);
    let request = CreatePayment::new(Payment { extra, ..payment() })
        .extra("notification_url", "https://example.com/hook")
        .extra("installments", 3);
    let body = body_of(&request);
    assert!(body.ends_with(
        r#""document":"853.513.468-93","person_type":"personal"},"notification_url":"https://example.com/hook","installments":3}"#
    ));
    let own = || Members::from([("own", "x")]);
    let payout = CreatePayout::new(Payout {
        external_reference: "a".to_owned(),
        country: "br".to_owned(),
        amount: "1".parse().unwrap(),
        currency_code: "BRL".to_owned(),
        target: Some("pix_key".to_owned()),
        target_account: Some("1".to_owned()),
        payee: Some(Payee { name: Some("A".to_owned()), extra: own(), ..Payee::default() }),
        extra: own(),
        ..Payout::default()
    });
    let end = r#""payee":{"name":"A","own":"x"},"own":"x","more":1}"#;
    let body = body_of(&payout.extra("more", 1));
    assert!(body.ends_with(end), "{body}");
    let code = TrackingDetails {
        tracking_code: "AA2".to_owned(),
        items: vec![Item { name: Some("I".to_owned()), extra: own(), ..Item::default() }],
        address: Some(Address { extra: own(), ..Address::default() }),
        extra: own(),
        ..TrackingDetails::default()
    };
    let tracking = RegisterTracking::new(Tracking {
        order_number: "order-1".to_owned(),
        email: "a@example.com".to_owned(),
        tracking_code: vec![code.into()],
        extra: own(),
        ..Tracking::default()
    });
    let body = body_of(&tracking.extra("more", 1));
    assert_eq!(body.matches(r#""own":"x""#).count(), 4, "{body}");
    assert!(body.ends_with(r#""own":"x","more":1}"#), "{body}");
    let refund = RefundPayment::by_hash("5f").operation("request").extra("own", "x");
    assert_eq!(body_of(&refund), r#"{"hash":"5f","operation":"request","own":"x"}"#);
    let query = QueryPayment::by_hash("5f").extra("own", "x").draft(&Rules::default()).unwrap();
    assert!(query.query.contains(&("own".to_owned(), "x".to_owned())), "{query:?}");
}

#[test]
fn extra_that_collides_is_refused() {
    let refused = |request: CreatePayment| {
        let error = request.draft(&Rules::default()).unwrap_err();
        assert_eq!(error.kind().as_str(), "validation");
        (error.code().as_str(), error.path().unwrap().to_owned())
    };
    let collides = |request| {
        let (code, path) = refused(request);
        assert_eq!(code, "conflicting_members");
        path
    };
    let extra = Members::from([("amount_total", 1)]);
    assert_eq!(
        collides(CreatePayment::new(Payment { extra, ..payment() })),
        "payment.extra.amount_total"
    );
    assert_eq!(collides(CreatePayment::new(payment()).extra("payment", "x")), "extra.payment");
    let twice = CreatePayment::new(payment()).extra("note", 1).extra("note", 2);
    assert_eq!(refused(twice), ("conflicting_members", "extra.note".to_owned()));
    let nested = Json::from(Members::from_iter([("a", 1), ("a", 2)]));
    let nested = refused(CreatePayment::new(payment()).extra("note", nested));
    assert_eq!(nested, ("conflicting_members", "extra.note.a".to_owned()));
}

#[test]
fn extra_number_that_is_not_json_is_refused() {
    let draft = |number: &str| {
        let number = Json::Number(number.to_owned());
        CreatePayment::new(payment()).extra("x", number).draft(&Rules::default())
    };
    for broken in [r#"1,"amount_total":0"#, "01", "-01", "-", ""] {
        let error = draft(broken).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), ("wrong_type", Some("extra.x")));
    }
    for number in ["0", "-0", "10", "1.50", "1e5"] {
        assert!(draft(number).is_ok(), "{number}");
    }
}

#[test]
fn operation_is_set_once() {
    let request = CreatePayment::new(payment()).operation("a").operation("request");
    assert!(body_of(&request).starts_with(r#"{"operation":"request","payment":{"#));
}

#[test]
fn drafts_carry_the_merchants_reference() {
    fn reference(request: &impl Request) -> Option<String> {
        request.draft(&Rules::default()).unwrap().reference
    }
    assert_eq!(reference(&CreatePayment::new(payment())).as_deref(), Some("order-1001"));
    assert_eq!(reference(&QueryPayment::by_hash("5a")).as_deref(), Some("5a"));
    let by_code = QueryPayment::by_merchant_payment_code("order-1001");
    assert_eq!(reference(&by_code).as_deref(), Some("order-1001"));
    assert_eq!(reference(&RefundPayment::by_hash("5a")).as_deref(), Some("5a"));
    let send = RawRequest::new("GET", "/ws/x");
    assert_eq!(reference(&send), None);
    assert_eq!(reference(&send.reference("t-1")).as_deref(), Some("t-1"));

    let nameless = CreatePayment::new(Payment { name: String::new(), ..payment() });
    let error = nameless.draft(&Rules::default()).unwrap_err();
    assert_eq!(error.reference(), Some("order-1001"));
    assert_eq!(error.operation(), Some(Operation::CreatePayment));
}

#[test]
fn query_has_no_body_and_takes_further_parameters() {
    let query =
        QueryPayment::from_json(br#"{"hash":"5a","extra":{"page":2,"full":true}}"#).unwrap();
    let draft = query.draft(&Rules::default()).unwrap();
    assert!(matches!(draft.body, DraftBody::Empty));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(draft.query, [pair("hash", "5a"), pair("page", "2"), pair("full", "true")]);
}

#[test]
fn debug_forms_hide_payer_data() {
    let payment = Payment { extra: Members::from([("person", "4711-secret")]), ..payment() };
    let request = CreatePayment::new(payment.clone());
    let send = RawRequest::new("POST", "/ws/x").body(*b"4711-secret").query("q", "4711-secret");
    let rules = Rules::default();
    let shown = format!(
        "{payment:?} {payment:#?} {request:?} {:?} {send:?} {:?} {:?}",
        request.draft(&rules).unwrap(),
        send.draft(&rules).unwrap(),
        QueryPayment::by_hash("4711-secret"),
    );
    let empty = RawRequest::new("GET", "/ws/x").draft(&rules).unwrap();
    let codes = ["4711-secret".into(), CodeOrDetails::from(TrackingDetails::default())];
    let shown = format!("{shown} {empty:?} {codes:?}");
    for hidden in ["José", "jose@", "853.513", "order-1001", "4711", "100.10"] {
        assert!(!shown.contains(hidden), "{hidden} in {shown}");
    }
}
