//! Creating payouts.

use serde_json::{Value, json};

use super::{Done, INVALID_REQUEST};
use crate::answer::Answer;
use crate::body::Members;
use crate::clock::{Clock, date_time};
use crate::ledger::{Ledger, PayoutRecord};

/// The code that goes with an `authentication_error`.
const INVALID_INTEGRATION_KEY: &str = "DA-1";

/// `POST /ws/payout/create`. The reference is not unique: sent twice, it is
/// paid twice.
pub(crate) fn create(ledger: &mut Ledger, clock: &Clock, body: &[u8]) -> Done {
    let Some(body) = Members::parse(body) else {
        return invalid("the body is not a JSON object");
    };
    let Some(payee) = body.object("payee") else {
        return invalid("payee: an object is required");
    };
    let mut missing = None;
    let mut text = |members: &Members<'_>, name: &str, place: &str| {
        let value = members.text(name).filter(|text| !text.is_empty());
        if value.is_none() && missing.is_none() {
            missing = Some(format!("{place}{name}: a text is required"));
        }
        value.unwrap_or_default()
    };
    let record = PayoutRecord {
        uid: ledger.rng.uuid(),
        external_reference: text(&body, "external_reference", ""),
        country: text(&body, "country", ""),
        currency_code: text(&body, "currency_code", ""),
        target: text(&body, "target", ""),
        target_account: text(&body, "target_account", ""),
        amount: body.number_text("amount").unwrap_or_default(),
        created: clock.now(),
    };
    let payee: Value = ["name", "email", "document", "document_type"]
        .into_iter()
        .map(|name| (name.to_owned(), json!(text(&payee, name, "payee."))))
        .collect();
    if let Some(message) = missing {
        return invalid(&message);
    }
    if !body.is_number("amount") {
        return invalid("amount: a number is required");
    }
    let mut payout = payout_json(&record);
    payout["payee"] = payee;
    ledger.payouts.push(record);
    Done::executed(Answer::json(200, &json!({"type": "success", "payout": payout})))
}

/// The answer to a wrong integration key.
pub(crate) fn invalid_integration_key() -> Done {
    let message = "invalid integration key";
    refusal("authentication_error", INVALID_INTEGRATION_KEY, message)
}

pub(crate) fn payout_json(payout: &PayoutRecord) -> Value {
    json!({
        "uid": payout.uid,
        "status": "OP",
        "external_reference": payout.external_reference,
        "country": payout.country,
        "amount": payout.amount,
        "currency_code": payout.currency_code,
        "target": payout.target,
        "target_account": payout.target_account,
        "date_created": date_time(payout.created),
    })
}

fn invalid(message: &str) -> Done {
    refusal("invalid_request_error", INVALID_REQUEST, message)
}

fn refusal(kind: &str, code: &str, message: &str) -> Done {
    let body = json!({"type": kind, "code": code, "message": message});
    Done { answer: Answer::json(200, &body), refused: Some(format!("{code}: {message}")) }
}
