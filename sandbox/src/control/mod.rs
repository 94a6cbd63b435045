//! The control API: everything that the interface leaves to the provider.

mod settings;

use payments_base::spelling::nearest;
use payments_core::operation::Operation;
use serde_json::{Value, json};

use crate::faults::cancellation::PayoutCancellation;
use crate::faults::json;
use crate::faults::names::known_faults;
use crate::http::RequestHead;
use crate::http::json_form::{JsonForm, read_json};
use crate::http::parameters::{decode, parameter};
use crate::http::response::Response;
use crate::operations::payments::{payment_json, refund_json};
use crate::operations::payouts::payout_json;
use crate::operations::tracking::tracking_json;
use crate::page;
use crate::service::Service;
use crate::service::ledger::{Ledger, MoveError};
use crate::service::request_log::RequestRecord;
use crate::service::signature::read_public_key;
use crate::service::status::{PaymentStatus, PayoutStatus, RefundStatus};

/// Whether the path belongs to the control API.
pub(crate) fn is_control(path: &str) -> bool {
    path == "/sandbox" || path.starts_with("/sandbox/")
}

/// Why the control API refused a request.
#[derive(Debug)]
pub(crate) struct ControlError {
    status: u16,
    message: String,
}

impl From<String> for ControlError {
    fn from(message: String) -> Self {
        Self { status: 400, message }
    }
}

impl ControlError {
    fn of_move(error: &MoveError, not_found: impl FnOnce() -> Self) -> Self {
        match error {
            MoveError::NotFound => not_found(),
            MoveError::NotAllowed(_) => Self { status: 409, message: error.to_string() },
        }
    }

    /// The refusal of a reference, with the nearest one that is known.
    fn not_found<'k>(
        what: &str,
        reference: &str,
        known: impl DoubleEndedIterator<Item = &'k str>,
    ) -> Self {
        let mut known: Vec<&str> = known.rev().collect();
        let advice = match nearest(reference, known.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None if known.is_empty() => "there is none yet".to_owned(),
            None => {
                known.truncate(MOST_LISTED);
                format!("the latest: {}", known.join(", "))
            }
        };
        Self { status: 404, message: format!("no {what} {reference:?}; {advice}") }
    }
}

/// Of the references that are known, this many are listed.
const MOST_LISTED: usize = 5;

fn no_payment(ledger: &Ledger, reference: &str) -> ControlError {
    let codes = ledger.payments().iter().map(|it| it.merchant_payment_code.as_str());
    ControlError::not_found("payment has the reference or hash", reference, codes)
}

fn no_refund(ledger: &Ledger, id: &str) -> ControlError {
    let refunds = ledger.payments().iter().flat_map(|payment| &payment.refunds);
    ControlError::not_found("refund has the id", id, refunds.map(|refund| refund.id.as_str()))
}

fn no_payout(ledger: &Ledger, reference: &str) -> ControlError {
    let references = ledger.payouts().iter().map(|it| it.external_reference.as_str());
    ControlError::not_found("payout has the reference or uid", reference, references)
}

type ControlReply = Result<Value, ControlError>;

/// Responds to a request to the control API.
pub(crate) fn serve(service: &Service, head: &RequestHead, body: &[u8]) -> Response {
    let segments: Vec<String> =
        head.path.split('/').skip(2).filter(|part| !part.is_empty()).map(decode).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let method = if head.method == "HEAD" { "GET" } else { head.method.as_str() };
    let extended = || {
        let path = head.path.strip_prefix("/sandbox/")?;
        service.extension.serve(method, path, body)
    };
    if let Some(response) = page::serve(service, head, method, &segments, body).or_else(extended) {
        return response;
    }
    let reply = match (method, segments.as_slice()) {
        ("GET", ["health"]) => Ok(json!({"status": "up"})),
        ("GET", ["stats"]) => Ok(json!(service.counters.read())),
        ("POST", ["reset"]) => {
            service.reset();
            Ok(json!({"reset": true}))
        }
        ("GET", ["settings"]) => Ok(settings::read(service)),
        ("POST", ["settings"]) => settings::write(service, body).map_err(ControlError::from),
        ("GET", ["keys"]) => Ok(json!({"kids": service.keys.kids()})),
        ("POST", ["keys"]) => register_key(service, head.query.as_deref(), body),
        ("DELETE", ["keys", kid]) => Ok(json!({"forgotten": service.keys.forget(kid)})),
        ("GET", ["requests"]) => Ok(requests(service, head.query.as_deref())),
        ("DELETE", ["requests"]) => {
            service.request_log.clear();
            Ok(json!({"requests": []}))
        }
        ("GET", ["faults"]) => Ok(pending_faults(service)),
        ("GET", ["faults", "known"]) => Ok(json!({"faults": known_faults()})),
        ("POST", ["faults"]) => script_faults(service, body),
        ("DELETE", ["faults"]) => {
            service.faults.clear();
            Ok(json!({"faults": []}))
        }
        ("DELETE", ["faults", id]) => {
            let dropped = id.parse().is_ok_and(|id| service.faults.drop_script(id));
            Ok(json!({"dropped": dropped}))
        }
        ("POST", ["tokens", what]) => {
            settings::tokens(service, what, body).map_err(ControlError::from)
        }
        (method, segments) => ledger(service, method, segments, body),
    };
    match reply {
        Ok(body) => Response::json(200, &body),
        Err(objection) => Response::json(objection.status, &json!({"error": objection.message})),
    }
}

/// Serves payments, refunds, payouts, and trackings.
fn ledger(service: &Service, method: &str, segments: &[&str], body: &[u8]) -> ControlReply {
    match (method, segments) {
        ("GET", ["payments"]) => {
            let ledger = service.ledger();
            Ok(json!({"payments": ledger.payments().iter().map(payment_json).collect::<Vec<_>>()}))
        }
        ("GET", ["payments", reference]) => {
            let ledger = service.ledger();
            let payment =
                ledger.payment(reference).ok_or_else(|| no_payment(&ledger, reference))?;
            let history: Vec<&str> =
                payment.history.iter().map(|(status, _)| status.code()).collect();
            Ok(json!({"payment": payment_json(payment), "history": history}))
        }
        ("POST", ["payments", reference, action]) => {
            let to = target(&PaymentStatus::ACTIONS, action)?;
            let mut ledger = service.ledger();
            let moved = ledger.move_payment(reference, to, &service.clock);
            let payment = moved.map_err(|error| {
                ControlError::of_move(&error, || no_payment(&ledger, reference))
            })?;
            Ok(json!({"payment": payment_json(&payment)}))
        }
        ("POST", ["refunds", id, action]) => {
            let to = target(&RefundStatus::ACTIONS, action)?;
            let mut ledger = service.ledger();
            let moved = ledger.move_refund(id, to);
            let refund =
                moved.map_err(|error| ControlError::of_move(&error, || no_refund(&ledger, id)))?;
            Ok(json!({"refund": refund_json(&refund)}))
        }
        ("GET", ["payouts"]) => {
            let payouts: Vec<Value> = service.ledger().payouts().iter().map(payout_json).collect();
            Ok(json!({"payouts": payouts}))
        }
        ("POST", ["payouts", reference, action]) => {
            let to = target(&PayoutStatus::ACTIONS, action)?;
            let json = read_json(body)?;
            let mut form = JsonForm::of(&json, action)?;
            let why = match to {
                PayoutStatus::Cancelled => json::cancellation(&mut form)?,
                _ => PayoutCancellation::default(),
            };
            form.finish()?;
            let mut ledger = service.ledger();
            let moved = ledger.move_payout(reference, to, why, &service.clock);
            let payout = moved
                .map_err(|error| ControlError::of_move(&error, || no_payout(&ledger, reference)))?;
            Ok(json!({"payout": payout_json(&payout)}))
        }
        ("GET", ["trackings"]) => {
            let trackings: Vec<Value> =
                service.ledger().trackings().iter().map(tracking_json).collect();
            Ok(json!({"trackings": trackings}))
        }
        _ => Err(no_such_path()),
    }
}

/// The status that an action leads to.
fn target<S: Copy>(actions: &[(&str, S)], action: &str) -> Result<S, ControlError> {
    let found = actions.iter().find(|(name, _)| *name == action);
    found.map(|(_, to)| *to).ok_or_else(no_such_path)
}

fn no_such_path() -> ControlError {
    let message = "the control API has no such method and path; see its README".to_owned();
    ControlError { status: 404, message }
}

fn register_key(service: &Service, query: Option<&str>, body: &[u8]) -> ControlReply {
    let mut kid = query.and_then(|query| parameter(query, "kid"));
    let mut contents = body.to_vec();
    if let Ok(object) = serde_json::from_slice::<Value>(body) {
        let member = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        contents = member("pem").ok_or_else(|| "pem: required".to_owned())?.into_bytes();
        kid = member("kid").or(kid);
    }
    let key = read_public_key(contents)?;
    let bits = key.bits();
    let kid = service.keys.register(key, kid.as_deref());
    Ok(json!({"kid": kid, "bits": bits}))
}

/// Lists all requests, or those of one operation.
fn requests(service: &Service, query: Option<&str>) -> Value {
    let only = query.and_then(|query| parameter(query, "operation"));
    let wanted = |record: &&RequestRecord| {
        only.is_none() || record.operation.map(Operation::name) == only.as_deref()
    };
    let records = service.request_log.records();
    json!({"requests": records.iter().filter(wanted).map(RequestRecord::to_json).collect::<Vec<_>>()})
}

fn pending_faults(service: &Service) -> Value {
    let pending: Vec<Value> = service
        .faults
        .waiting()
        .into_iter()
        .map(|script| json!({"id": script.id, "next": script.next.name()}))
        .collect();
    json!({"faults": pending})
}

fn script_faults(service: &Service, body: &[u8]) -> ControlReply {
    let scripts = json::read_scripts(&read_json(body)?)?;
    let ids: Vec<u64> = scripts.into_iter().map(|script| service.faults.push(script)).collect();
    Ok(json!({"ids": ids}))
}
