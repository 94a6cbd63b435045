//! Requests as the page shows them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use payments_core::json::Json;
use payments_core::operation::Operation;
use payments_host::{LintWarning, lint};
use serde_json::{Value, json};

use super::money;
use super::outcome::outcome;
use crate::doctor::{decode_loosely, differences, examine};
use crate::http::parameters::parameter;
use crate::service::Service;
use crate::service::request_log::RequestRecord;
use crate::service::signature::SignatureCheck;

/// The largest body searched for references.
const LARGEST_READ: usize = 64 * 1024;
/// Where a request may name its subject, the merchant's own reference first.
const REFERENCES: [&str; 6] = [
    "/payment/merchant_payment_code",
    "/external_reference",
    "/merchant_refund_code",
    "/order_number",
    "/hash",
    "/merchant_payment_code",
];

/// A row of the request list.
pub(super) fn summary(record: &RequestRecord) -> Value {
    let (reference, amount) = subject(record);
    json!({
        "sequence": record.sequence,
        "received_ms": record.received_ms,
        "duration_ms": record.duration_ms,
        "operation": record.operation.map(Operation::name),
        "method": record.method,
        "path": record.path,
        "reference": reference,
        "amount": amount,
        "outcome": outcome(record),
        "status": record.response.as_ref().map(|response| response.status),
        "signature": record.signature.as_str(),
        "bearer": record.bearer.as_str(),
        "integration_key": record.integration_key.as_str(),
        "refused": record.refused,
        "executed": record.executed,
        "fault": record.fault,
        "resend_of": record.resend_of.filter(|_| is_sent_once(record)),
    })
}

/// The details of one request.
pub(super) fn detail(service: &Service, sequence: u64) -> Option<Value> {
    let record = service.request_log.record(sequence)?;
    let mut json = record.to_json();
    let (reference, _) = subject(&record);
    let body = Json::parse(&record.body).ok();
    let hash = body.as_ref().and_then(|it| it.pointer("/hash")?.as_str());
    let payment = hash.or(reference.as_deref()).and_then(|it| {
        let ledger = service.ledger();
        let payment = ledger.payment(it)?;
        Some(json!({
            "hash": payment.hash,
            "merchant_payment_code": payment.merchant_payment_code,
        }))
    });
    json["payment"] = json!(payment);
    json["reference"] = json!(reference);
    json["outcome"] = json!(outcome(&record));
    let sendings = is_sent_once(&record).then(|| service.request_log.sendings(sequence));
    json["sendings"] = json!(sendings.unwrap_or_default());
    json["findings"] = findings(&record);
    let token = record.header("x-jws-signature");
    json["protected_header"] = json!(token.and_then(decoded_header));
    if matches!(record.signature, SignatureCheck::Refused { .. }) {
        let keys = service.keys.known();
        let found = examine(token, &record.body, Some(&record.target), &keys);
        json["diagnosis"] = json!({
            "cause": found.diagnosis.cause().map(payments_core::jws::Cause::as_str),
            "finding": found.diagnosis.finding().as_str(),
            "message": found.diagnosis.message(),
        });
        let signed = found.signed_payload.filter(|_| !record.body.is_empty());
        json["signed"] = json!(signed.map(|signed| {
            let differences = differences(&signed, &record.body).into_iter();
            let places =
                differences.map(|it| [it.signed.start, it.signed.end, it.sent.start, it.sent.end]);
            json!({
                "base64": BASE64.encode(&signed),
                "differences": places.collect::<Vec<_>>(),
            })
        }));
    }
    Some(json)
}

/// The mistakes that the core finds in the request.
fn findings(record: &RequestRecord) -> Value {
    let is_searched = record.operation.is_some_and(|it| it != Operation::Send)
        && (1..=LARGEST_READ).contains(&record.body.len());
    let body = is_searched.then(|| Json::parse(&record.body).ok()).flatten();
    let found = body.as_ref().and_then(Json::as_object).map(lint).unwrap_or_default().into_iter();
    let json = |it: LintWarning| json!({"path": it.path, "certainty": it.certainty.as_str(), "message": it.message});
    found.map(json).collect()
}

/// Whether a second request of that kind is worth mentioning: queries and
/// requests for tokens repeat.
fn is_sent_once(record: &RequestRecord) -> bool {
    let repeats = |it: Operation| it.is_read_only() || it == Operation::AccessToken;
    !record.operation.is_some_and(repeats)
}

/// The decoded protected header of a token, if it is base64url.
fn decoded_header(token: &str) -> Option<String> {
    let plain = token.split('.').next()?.replace('+', "-").replace('/', "_");
    String::from_utf8(decode_loosely(&plain)?).ok()
}

/// The reference of the request, and its amount.
fn subject(record: &RequestRecord) -> (Option<String>, Option<String>) {
    let query = record.query.as_deref().unwrap_or("");
    if let Some(named) =
        ["merchant_payment_code", "hash"].iter().find_map(|it| parameter(query, it))
    {
        return (Some(named), None);
    }
    if record.body.is_empty() || record.body.len() > LARGEST_READ {
        return (None, None);
    }
    let Ok(body) = Json::parse(&record.body) else { return (None, None) };
    let text = |place: &str| body.pointer(place)?.as_text_or_number().map(str::to_owned);
    let reference = REFERENCES.iter().find_map(|place| body.pointer(place)?.as_str());
    let first = |places: [&str; 2]| places.into_iter().find_map(text);
    let currency = first(["/payment/currency_code", "/currency_code"]).unwrap_or_default();
    let amount = first(["/payment/amount_total", "/amount"]);
    let shown = amount.map(|it| money(&it, &currency).trim_start().to_owned());
    (reference.map(str::to_owned), shown)
}
