//! The data that the page reads, such as payments, one part at a time.

use std::time::Instant;

use payments_core::operation::Operation;
use payments_core::signer::generate_key;
use serde_json::{Value, json};

use super::{inspection, money};
use crate::faults::cancellation::PayoutCancellation;
use crate::faults::names::known_faults;
use crate::http::parameters::parameter;
use crate::http::response::Response;
use crate::operations::payments::{payment_json, refund_json};
use crate::operations::payouts::payout_json;
use crate::operations::tracking::tracking_json;
use crate::service::Service;
use crate::service::clock::milliseconds;
use crate::service::ledger::{
    Ledger, PaymentRecord, PayoutRecord, RefundRecord, TrackingRecord, pay_path,
};
use crate::service::signature::read_public_key;
use crate::service::status::{PaymentStatus, PayoutStatus, RefundStatus};

/// The default number of entries per part of a list.
const PART: usize = 50;

/// Serves `/sandbox/view/`.
pub(super) fn read(service: &Service, what: &[&str], query: Option<&str>) -> Option<Response> {
    let wanted = ListQuery::of(query.unwrap_or(""));
    let ledger = || service.ledger();
    let json = match what {
        ["requests", sequence] => inspection::detail(service, sequence.parse().ok()?)?,
        ["payments"] => {
            let ledger = ledger();
            wanted.list(ledger.payments(), |it| payment(&ledger, it))
        }
        ["refunds"] => {
            let ledger = ledger();
            let refunds: Vec<(&PaymentRecord, &RefundRecord)> = ledger
                .payments()
                .iter()
                .flat_map(|payment| payment.refunds.iter().map(move |refund| (payment, refund)))
                .collect();
            wanted.list(&refunds, |&(payment, it)| refund(&ledger, payment, it))
        }
        ["payouts"] => {
            let ledger = ledger();
            wanted.list(ledger.payouts(), |it| payout(&ledger, it))
        }
        ["trackings"] => {
            wanted.list(ledger().trackings(), |tracking: &TrackingRecord| tracking_json(tracking))
        }
        ["faults"] => faults(service),
        ["keys"] => keys(service),
        ["tokens"] => tokens(service),
        _ => return None,
    };
    Some(Response::json(200, &json))
}

/// Creates and registers a key, and returns a client configuration that uses
/// it. Only this response contains the private key.
pub(super) fn make_key(service: &Service) -> Response {
    let made = generate_key().map_err(|error| error.to_string()).and_then(|pair| {
        let kid = service.keys.register(read_public_key(&pair.public_key_pem)?, None);
        Ok((kid, pair))
    });
    let (kid, pair) = match made {
        Ok(made) => made,
        Err(message) => return Response::json(500, &json!({"error": message})),
    };
    let members = [("kid", &*kid), ("key", pair.private_key_pem.expose())];
    let configuration = service.client_configuration(&members);
    let members =
        configuration.iter().map(|(name, value)| (name.to_owned(), json!(value.as_str())));
    Response::json(200, &members.collect())
}

/// A part of a list: newest first, filtered by a text.
struct ListQuery {
    offset: usize,
    limit: usize,
    text: String,
}

impl ListQuery {
    fn of(query: &str) -> Self {
        let number = |name| parameter(query, name).and_then(|text| text.parse().ok());
        Self {
            offset: number("offset").unwrap_or(0),
            limit: number("limit").unwrap_or(PART),
            text: searched(&parameter(query, "text").unwrap_or_default()),
        }
    }

    fn list<T>(&self, entries: &[T], json_of: impl Fn(&T) -> Value) -> Value {
        let newest_first = entries.iter().rev();
        if self.text.is_empty() {
            let shown: Vec<Value> =
                newest_first.skip(self.offset).take(self.limit).map(json_of).collect();
            return json!({"total": entries.len(), "entries": shown});
        }
        let found: Vec<Value> =
            newest_first.map(json_of).filter(|json| contains(json, &self.text)).collect();
        let total = found.len();
        let shown: Vec<Value> = found.into_iter().skip(self.offset).take(self.limit).collect();
        json!({"total": total, "entries": shown})
    }
}

/// A text as it is compared: without case, and with the spaces that a person types
/// into an amount.
fn searched(text: &str) -> String {
    text.to_lowercase().replace('\u{a0}', " ")
}

/// Whether any string in the value contains `text`, which is [`searched`].
fn contains(json: &Value, text: &str) -> bool {
    match json {
        Value::String(own) => searched(own).contains(text),
        Value::Array(elements) => elements.iter().any(|element| contains(element, text)),
        Value::Object(members) => members.values().any(|member| contains(member, text)),
        _ => false,
    }
}

/// Each status so far, with its time where it is known.
fn steps(ledger: &Ledger, id: &str, codes: impl Iterator<Item = &'static str>) -> Vec<Value> {
    let times = ledger.times(id).iter().map(Some).chain(std::iter::repeat(None));
    codes.zip(times).map(|(code, time)| json!([code, time])).collect()
}

fn payment(ledger: &Ledger, payment: &PaymentRecord) -> Value {
    let legal = PaymentStatus::ACTIONS.iter().filter(|(_, to)| payment.status.may_become(*to));
    let codes = payment.history.iter().map(|(status, _)| status.code());
    let refunds = payment.refunds.iter().map(|refund| {
        let amount = money(&refund.amount, &payment.currency_code);
        json!({"amount": amount, "status": refund.status.code()})
    });
    json!({
        "payment": payment_json(payment),
        "amount": money(&payment.amount_total, &payment.currency_code),
        "refunds": refunds.collect::<Vec<_>>(),
        "history": steps(ledger, &payment.hash, codes),
        "moves": legal.map(|(name, _)| *name).collect::<Vec<_>>(),
        "pay_path": pay_path(&payment.hash),
    })
}

fn refund(ledger: &Ledger, payment: &PaymentRecord, refund: &RefundRecord) -> Value {
    let legal = RefundStatus::ACTIONS.iter().filter(|(_, to)| refund.status.may_become(*to));
    json!({
        "refund": refund_json(refund),
        "amount": money(&refund.amount, &payment.currency_code),
        "times_ms": ledger.times(&refund.id),
        "payment_hash": payment.hash,
        "moves": legal.map(|(name, _)| *name).collect::<Vec<_>>(),
    })
}

fn payout(ledger: &Ledger, payout: &PayoutRecord) -> Value {
    let legal = PayoutStatus::ACTIONS.iter().filter(|(_, to)| payout.status.may_become(*to));
    let codes = payout.history.iter().map(|(status, _)| status.code());
    json!({
        "payout": payout_json(payout),
        "amount": money(&payout.amount, &payout.currency_code),
        "history": steps(ledger, &payout.uid, codes),
        "moves": legal.map(|(name, _)| *name).collect::<Vec<_>>(),
        "cancel_codes": PayoutCancellation::ALL.map(PayoutCancellation::as_str),
    })
}

fn faults(service: &Service) -> Value {
    let waiting: Vec<Value> = service
        .faults
        .waiting()
        .into_iter()
        .map(|script| {
            json!({
                "id": script.id,
                "next": script.next.name(),
                "operation": script.operation.map(Operation::name),
                "path": script.path,
                "left": script.left,
                "delay_ms": milliseconds(script.next.delay),
            })
        })
        .collect();
    let operations: Vec<&str> = Operation::ALL.into_iter().map(Operation::name).collect();
    json!({"waiting": waiting, "known": known_faults(), "operations": operations})
}

fn keys(service: &Service) -> Value {
    let keys: Vec<Value> = service
        .keys
        .all()
        .into_iter()
        .map(|(kid, key)| json!({"kid": kid, "bits": key.bits(), "thumbprint": key.thumbprint()}))
        .collect();
    json!({"keys": keys})
}

fn tokens(service: &Service) -> Value {
    let now = Instant::now();
    let tokens = service.tokens();
    let live: Vec<Value> = tokens
        .live(now)
        .into_iter()
        .map(|(token, left)| json!({"token": token, "left_ms": left.map(milliseconds)}))
        .collect();
    let block = tokens
        .blocked(now)
        .map(|(block, left)| json!({"status": block.status, "left_ms": left.map(milliseconds)}));
    json!({"tokens": live, "block": block})
}
