//! Creates and queries payouts, and shows them.

use payments_core::json::{Json, Members};
use serde_json::{Value, json};

use super::{INVALID_REQUEST, OperationResult, digits, excess_digits, text};
use crate::config::SandboxConfig;
use crate::faults::cancellation::PayoutCancellation;
use crate::http::response::Response;
use crate::service::clock::{Calendar, date_time};
use crate::service::ledger::{Ledger, PayoutRecord};
use crate::service::status::PayoutStatus;

/// The code sent with an `authentication_error`.
const INVALID_INTEGRATION_KEY: &str = "DA-1";

const REFERENCE_USED_BEFORE: &str = "HP-CM-03";

/// The code for a payout that is not there, for which no code is known.
const PAYOUT_NOT_FOUND: &str = "SANDBOX-PAYOUT-NOT-FOUND";

/// Serves `POST /ws/payout/create`. Unless `unique_payouts` is on, a request that
/// is sent twice is paid twice. With `decline`, the payout is cancelled at once.
pub(crate) fn create(
    ledger: &mut Ledger,
    clock: &Calendar,
    config: &SandboxConfig,
    body: &Members,
    decline: Option<PayoutCancellation>,
) -> OperationResult {
    let required = |name| text(body, name).unwrap_or_default();
    let external_reference = required("external_reference");
    if config.unique_payouts && ledger.payout(&external_reference).is_some() {
        let message = "external_reference was used before";
        return refused(REFERENCE_USED_BEFORE, message);
    }
    let amount = digits(body, "amount").unwrap_or_default();
    if let Some(refused) = excess_digits(config, &amount, &required("currency_code")) {
        return invalid(&refused);
    }
    let mut history = vec![(PayoutStatus::Open, clock.now())];
    if decline.is_some() {
        history.push((PayoutStatus::Cancelled, clock.now()));
    }
    let record = PayoutRecord {
        uid: ledger.rng.uuid(),
        external_reference,
        country: required("country"),
        currency_code: required("currency_code"),
        target: text(body, "target"),
        target_account: text(body, "target_account"),
        amount,
        status: history.last().map_or(PayoutStatus::Open, |(status, _)| *status),
        history,
        cancellation: decline,
    };
    let mut payout = payout_json(&record);
    match body.get("payee").and_then(Json::as_object) {
        Some(payee) => {
            payout["payee"] = ["name", "email", "document", "document_type"]
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), json!(text(payee, name)?))))
                .collect();
        }
        None => payout["payee_uuid"] = json!(text(body, "payee_uuid")),
    }
    ledger.add_payout(record);
    OperationResult::executed(Response::json(200, &json!({"type": "success", "payout": payout})))
}

/// Serves `POST /ws/payout/retrieve`, by `uid` or `external_reference`. Of several
/// payouts with one reference, the newest is found.
pub(crate) fn query(ledger: &Ledger, body: &Members) -> OperationResult {
    let (uid, reference) = (text(body, "uid"), text(body, "external_reference"));
    let is_meant = |it: &&PayoutRecord| {
        uid.as_ref().is_none_or(|uid| *uid == it.uid)
            && reference.as_ref().is_none_or(|known| *known == it.external_reference)
    };
    match ledger.payouts().iter().rev().find(is_meant) {
        Some(payout) => {
            let body = json!({"type": "success", "payout": payout_json(payout)});
            OperationResult::executed(Response::json(200, &body))
        }
        None => refusal("invalid_request_error", PAYOUT_NOT_FOUND, "payout not found"),
    }
}

/// The response to a wrong integration key.
pub(crate) fn invalid_integration_key() -> OperationResult {
    let message = "invalid integration key";
    refusal("authentication_error", INVALID_INTEGRATION_KEY, message)
}

pub(crate) fn payout_json(payout: &PayoutRecord) -> Value {
    let began = |wanted: PayoutStatus| {
        let found = payout.history.iter().find(|(known, _)| *known == wanted);
        found.map(|(_, seconds)| date_time(*seconds))
    };
    let mut json = json!({
        "uid": payout.uid,
        "status": payout.status.code(),
        "external_reference": payout.external_reference,
        "country": payout.country,
        "amount": payout.amount,
        "currency_code": payout.currency_code,
        "target": payout.target,
        "target_account": payout.target_account,
        "request_date": began(PayoutStatus::Open),
        "status_date": began(payout.status),
        "paid_date": began(PayoutStatus::Paid),
        "cancel_date": began(PayoutStatus::Cancelled),
    });
    if let Some(why) = payout.cancellation {
        json["code"] = json!(why.as_str());
    }
    json
}

/// The response to a request that does not match the interface.
pub(crate) fn invalid(message: &str) -> OperationResult {
    refused(INVALID_REQUEST, message)
}

/// The response to an invalid request, with a code of the service.
pub(crate) fn refused(code: &str, message: &str) -> OperationResult {
    refusal("invalid_request_error", code, message)
}

fn refusal(kind: &str, code: &str, message: &str) -> OperationResult {
    let body = json!({"type": kind, "code": code, "message": message});
    OperationResult {
        response: Response::json(200, &body),
        refused: Some(format!("{code}: {message}")),
    }
}
