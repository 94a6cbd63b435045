//! How response bodies are interpreted.

use payments_core::inside::AnyRequest;
use payments_core::json::Json;
use payments_core::operation::Operation;
use payments_core::request::{
    CreatePayment, CreatePayout, DraftBody, PaymentStatus, QueryPayment, RawRequest, RawResponse,
    RefundPayment, RefundStatus, RegisterTracking, Request,
};
use payments_core::rules::Rules;

use crate::support::cases;

fn response(body: &str) -> RawResponse {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    RawResponse::new(200, headers, body.as_bytes().to_vec())
}

#[test]
fn every_shared_response_is_read_as_expected() {
    for case in cases::cases("responses.json") {
        let name = cases::text(&case, "name");
        let operation = cases::operation(&case);
        let body = cases::text(&case, "body");
        let request = cases::request(&case);
        let read = cases::view(operation, &request, response(body), &cases::rules(&case));
        let expect = case.get("expect").unwrap();
        let Some(expected) = expect.get("view") else {
            let error = match read {
                Ok(_) => panic!("{name}: was accepted"),
                Err(error) => error,
            };
            for (member, value) in expect.as_object().unwrap().iter() {
                let found = match member {
                    "kind" => Some(error.kind().as_str()),
                    "code" => Some(error.code().as_str()),
                    "outcome" => Some(error.outcome().as_str()),
                    "service_code" => error.service_code(),
                    "service_message" => error.service_message(),
                    "payment_hash" => error.payment_hash(),
                    "path" => error.path(),
                    other => panic!("{name}: unknown member {other}"),
                };
                assert_eq!(found, value.as_str(), "{name}: {member}");
            }
            assert_eq!(error.operation(), Some(operation), "{name}");
            assert_eq!(error.http_status(), Some(200), "{name}");
            assert_eq!(error.response_body(), Some(body.as_bytes()), "{name}");
            continue;
        };
        let view = read.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (member, value) in expected.as_object().unwrap().iter() {
            let found = view.get(member).unwrap_or_else(|| panic!("{name}: no {member}"));
            assert_eq!(found.to_text(), value.to_text(), "{name}: {member}");
        }
        assert!(view.get("response").is_some(), "{name}");
    }
}

#[test]
fn statuses_survive_the_round_trip() {
    for code in ["OP", "PE", "CO", "CA", "PN"] {
        assert_eq!(PaymentStatus::from_code(code).to_string(), code);
    }
    for code in ["RE", "PE", "CO", "CA", "ZZ"] {
        assert_eq!(RefundStatus::from_code(code).to_string(), code);
    }
    use {PaymentStatus as P, RefundStatus as R};
    let payments = [P::Open, P::Pending, P::Confirmed, P::Cancelled, P::Other("PN".to_owned())];
    assert_eq!(["OP", "PE", "CO", "CA", "PN"].map(P::from_code), payments);
    let refunds = [R::Requested, R::Pending, R::Other("ZZ".to_owned())];
    assert_eq!(["RE", "PE", "ZZ"].map(R::from_code), refunds);
    let meanings = ["OP", "PE", "CO", "CA", "PN"].map(|code| P::from_code(code).meaning());
    assert!(meanings[..4].iter().all(Option::is_some) && meanings[4].is_none(), "{meanings:?}");
    let meanings = ["RE", "PE", "CO", "CA", "ZZ"].map(|code| R::from_code(code).meaning());
    assert!(meanings[..4].iter().all(Option::is_some) && meanings[4].is_none(), "{meanings:?}");
}

#[test]
fn every_received_member_is_kept() {
    let body = r#"{"payment":{"hash":"5a","amount_br":"265.00","amount_ext":103.50,"new":[1.0]},"status":"SUCCESS"}"#;
    let request = CreatePayment::from_json(b"{}").unwrap();
    let read = request.read_response(response(body), &Rules::default()).unwrap();
    assert_eq!(read.json().to_text(), body);
    assert_eq!(read.raw().body(), body.as_bytes());
    assert_eq!(read.raw().status(), 200);
    assert_eq!(read.raw().header("content-TYPE"), Some("application/json"));
    assert_eq!(read.amount("amount_br"), Some("265.00"));
    assert_eq!(read.amount("amount_ext"), Some("103.50"));
    assert_eq!(read.amount("amount_iof"), None);
    assert_eq!(read.member("/payment/new/0").and_then(Json::as_number_text), Some("1.0"));
    assert_eq!(read.qr_svg(), None);
}

#[test]
fn responses_of_other_operations_are_kept_too() {
    fn is_kept<T>(
        body: &str,
        request: impl Request<Response = T>,
        parts: fn(&T) -> (Option<&Json>, &Json, &RawResponse),
    ) {
        let read = request.read_response(response(body), &Rules::default()).unwrap();
        let (new, json, raw) = parts(&read);
        assert_eq!(new.and_then(Json::as_number_text), Some("1.0"));
        assert_eq!((json.to_text(), raw.body()), (body.to_owned(), body.as_bytes()));
    }
    let body = r#"{"status":"SUCCESS","refund":{"id":"1"},"type":"success","new":1.0}"#;
    is_kept(body, RefundPayment::by_hash("5a"), |it| (it.member("/new"), it.json(), it.raw()));
    let payout = CreatePayout::from_json(b"{}").unwrap();
    is_kept(body, payout, |it| (it.member("/new"), it.json(), it.raw()));
    let body = r#"{"status":"SUCCESS","result":[],"new":1.0}"#;
    let tracking = RegisterTracking::from_json(b"{}").unwrap();
    is_kept(body, tracking, |it| (it.member("/new"), it.json(), it.raw()));
}

#[test]
fn debug_forms_hide_the_response() {
    let body = r#"{"payment":{"hash":"5a4f","status":"PE","customer":{"name":"José"}},"refund":{"id":"77"},"result":[{"customer_email":"jose@example.com"}]}"#;
    let headers = vec![("Set-Cookie".to_owned(), "session-1".to_owned())];
    let raw = || RawResponse::new(200, headers.clone(), body.as_bytes().to_vec());
    let rules = Rules::default();
    let payment = QueryPayment::by_hash("5a4f").read_response(raw(), &rules).unwrap();
    let refund = RefundPayment::by_hash("5a4f").read_response(raw(), &rules).unwrap();
    let tree = Json::parse(body.as_bytes()).unwrap();
    let shown = format!("{payment:?} {refund:?} {:?} {tree:?} {tree:#?}", raw());
    for hidden in ["José", "jose", "5a4f", "session", "\"77\""] {
        assert!(!shown.contains(hidden), "{hidden} in {shown}");
    }
    assert!(shown.contains("Pending"));
}

#[test]
fn no_body_makes_the_reader_panic() {
    const LONGEST: usize = 400;
    let cases = cases::cases("responses.json");
    let bodies = cases.iter().map(|case| cases::text(case, "body").as_bytes());
    for body in bodies.filter(|body| body.len() <= LONGEST) {
        for end in 0..body.len() {
            let cut = RawResponse::new(200, Vec::new(), body[..end].to_vec());
            for operation in Operation::ALL {
                if !matches!(operation, Operation::AccessToken | Operation::Send) {
                    let _ = cases::view(operation, b"{}", cut.clone(), &Rules::default());
                }
            }
        }
    }
}

#[test]
fn a_response_has_the_received_bytes() {
    let received = response("{}");
    assert_eq!(received.headers()[0].1, "application/json");
    assert_eq!((received.max_values(), received.into_body()), (usize::MAX, b"{}".to_vec()));
}

#[test]
fn the_content_type_of_a_head_is_sent() {
    let head = br#"{"method":"POST","path":"/ws/own","content_type":"text/plain"}"#;
    let draft = RawRequest::from_json(head, b"x").unwrap().draft(&Rules::default()).unwrap();
    let sent = match &draft.body {
        DraftBody::Bytes { content_type, .. } => content_type.clone(),
        _ => panic!("no bytes"),
    };
    assert_eq!(sent.as_deref(), Some("text/plain"));
}

#[test]
fn the_whole_view_has_the_typed_members_unless_it_is_of_send() {
    let body = r#"{"status":"SUCCESS","payment":{"hash":"1","status":"CO"}}"#;
    let whole = |operation, input: &[u8]| {
        let request = AnyRequest::from_json(operation, input, b"{}").unwrap().unwrap();
        request.read_response(response(body), &Rules::default()).unwrap().whole_view().into_owned()
    };
    let of_query = whole(Operation::QueryPayment, br#"{"hash":"1"}"#);
    assert_eq!(of_query.get("hash").and_then(Json::as_str), Some("1"));
    let of_send = whole(Operation::Send, br#"{"method":"POST","path":"/ws/own"}"#);
    assert_eq!(of_send.to_text(), format!(r#"{{"response":{body}}}"#));
}

#[test]
fn a_page_in_place_of_json_points_to_the_address() {
    let read = |body| {
        let read = QueryPayment::by_hash("1").read_response(response(body), &Rules::default());
        read.unwrap_err().message().to_owned()
    };
    assert!(read("<html>").ends_with("; check base_url, and any proxy in between"));
    assert!(!read(r#"{"a":1"#).contains("base_url"));
}
