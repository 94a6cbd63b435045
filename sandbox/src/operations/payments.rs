//! Creates, queries, and refunds payments.

use payments_core::json::{Json, Members};
use serde_json::{Value, json};

use super::{OperationResult, digits, excess_digits, text};
use crate::config::SandboxConfig;
use crate::http::response::Response;
use crate::operations::decimal;
use crate::operations::means::means_of;
use crate::service::clock::{Calendar, date, date_time};
use crate::service::ledger::{Ledger, Payer, PaymentRecord, RefundRecord};
use crate::service::status::{PaymentStatus, RefundStatus};

const CODE_USED_BEFORE: &str = "BP-DR-0";
const PAYMENT_NOT_FOUND: &str = "BP-REF-CAN-2";
const PAYMENT_NOT_CONFIRMED: &str = "BP-REF-7";
const DAYS_UNTIL_DUE: u64 = 3;

/// Serves `POST /ws/direct`. With `decline`, the payment is canceled at once.
/// The payer's page is under `base_url`.
pub(crate) fn create(
    ledger: &mut Ledger,
    clock: &Calendar,
    config: &SandboxConfig,
    base_url: &str,
    body: &Members,
    decline: bool,
) -> OperationResult {
    let Some(payment) = body.get("payment").and_then(Json::as_object) else {
        return OperationResult::invalid("payment: required");
    };
    let required = |name| text(payment, name).unwrap_or_default();
    let merchant_payment_code = required("merchant_payment_code");
    if !config.accept_repeats && ledger.knows_code(&merchant_payment_code) {
        return OperationResult::refused(CODE_USED_BEFORE, "merchant_payment_code was used before");
    }
    let amount_total = digits(payment, "amount_total").unwrap_or_default();
    if let Some(refused) = excess_digits(config, &amount_total, &required("currency_code")) {
        return OperationResult::invalid(&refused);
    }
    let hash = ledger.rng.hex(48);
    let means = means_of(&mut ledger.rng, payment, base_url, &hash, &amount_total);
    let end = match (decline, means.is_card && !means.awaits_capture && !config.leave_open) {
        (true, _) => Some(PaymentStatus::Cancelled),
        (false, true) => Some(PaymentStatus::Confirmed),
        (false, false) => None,
    };
    let history = first_steps(clock, config, end);
    let record = PaymentRecord {
        means,
        hash,
        merchant_payment_code,
        status: history.last().map_or(PaymentStatus::Open, |(status, _)| *status),
        history,
        amount_total,
        currency_code: required("currency_code"),
        country: required("country"),
        payment_type_code: required("payment_type_code"),
        payer: Payer {
            name: required("name"),
            email: required("email"),
            document: text(payment, "document").filter(|document| !document.is_empty()),
        },
        order_number: text(payment, "order_number"),
        refunds: Vec::new(),
    };
    let response = Response::json(200, &payment_response(&record));
    ledger.add_payment(record);
    OperationResult::executed(response)
}

/// Returns OP, then PE, each with its own time, then the end if there is one.
fn first_steps(
    clock: &Calendar,
    config: &SandboxConfig,
    end: Option<PaymentStatus>,
) -> Vec<(PaymentStatus, u64)> {
    let mut history = vec![(PaymentStatus::Open, clock.now())];
    if !config.leave_open || end.is_some() {
        history.push((PaymentStatus::Pending, clock.now()));
    }
    history.extend(end.map(|end| (end, clock.now())));
    history
}

/// Serves `/ws/query`, by `hash` or `merchant_payment_code`: parameters of a GET, or
/// members of a POST.
pub(crate) fn query(ledger: &Ledger, given: impl Fn(&str) -> Option<String>) -> OperationResult {
    let payment = if let Some(hash) = given("hash") {
        ledger.by_hash(&hash)
    } else if let Some(code) = given("merchant_payment_code") {
        ledger.by_code(&code)
    } else {
        return OperationResult::invalid("hash: required");
    };
    match payment {
        Some(payment) => OperationResult::executed(Response::json(200, &payment_response(payment))),
        None => OperationResult::refused(PAYMENT_NOT_FOUND, "payment not found"),
    }
}

/// Serves `POST /ws/refund`.
pub(crate) fn refund(
    ledger: &mut Ledger,
    clock: &Calendar,
    config: &SandboxConfig,
    body: &Members,
) -> OperationResult {
    if text(body, "operation").as_deref() == Some("cancel") {
        return cancel_refund(ledger, config, body);
    }
    let hash = hash_of(ledger, config, body).unwrap_or_default();
    let id = ledger.rng.digits(8);
    if ledger.by_hash(&hash).is_none() {
        return OperationResult::refused(PAYMENT_NOT_FOUND, "payment not found");
    }
    let Some(payment) = ledger.payment_mut(&hash) else {
        return OperationResult::refused(PAYMENT_NOT_FOUND, "payment not found");
    };
    if payment.status != PaymentStatus::Confirmed {
        return OperationResult::refused(
            PAYMENT_NOT_CONFIRMED,
            "only a confirmed payment can be refunded",
        );
    }
    let amount = digits(body, "amount").unwrap_or_else(|| payment.amount_total.clone());
    if let Some(refused) = excess_digits(config, &amount, &payment.currency_code) {
        return OperationResult::invalid(&refused);
    }
    if !config.accept_repeats && is_more_than_is_left(payment, &amount) {
        return OperationResult::invalid("amount: more than is left of the payment");
    }
    let refund = RefundRecord {
        id,
        merchant_refund_code: text(body, "merchant_refund_code"),
        status: RefundStatus::Requested,
        amount,
        description: text(body, "description"),
        requested: clock.now(),
    };
    payment.refunds.push(refund.clone());
    let mut response = payment_response(payment);
    response["refund"] = refund_json(&refund);
    response["operation"] = json!("refund");
    ledger.mark(&refund.id);
    OperationResult::executed(Response::json(200, &response))
}

/// The hash of the payment that a refund names, by its hash or by its reference.
fn hash_of(ledger: &Ledger, config: &SandboxConfig, body: &Members) -> Option<String> {
    let code = text(body, "merchant_payment_code");
    // An unknown reference has no hash.
    let by_code = || Some(ledger.by_code(&code?).map(|it| it.hash.clone()).unwrap_or_default());
    text(body, &config.refund_hash_member).or_else(by_code)
}

/// Cancels the newest open refund with that id or code, of the payment if the
/// request names one.
fn cancel_refund(ledger: &mut Ledger, config: &SandboxConfig, body: &Members) -> OperationResult {
    let (id, code) = (text(body, "refund_id"), text(body, "merchant_refund_code"));
    let hash = hash_of(ledger, config, body);
    let is_meant = |refund: &RefundRecord| {
        id.as_ref().is_none_or(|id| *id == refund.id)
            && code.as_ref().is_none_or(|code| refund.merchant_refund_code.as_ref() == Some(code))
    };
    let payments = ledger.payments().iter();
    let named = payments.filter(|it| hash.as_ref().is_none_or(|hash| *hash == it.hash));
    let mut found: Vec<_> = named
        .flat_map(|payment| payment.refunds.iter().map(|refund| (&payment.hash, refund)))
        .filter(|(_, refund)| is_meant(refund))
        .map(|(hash, refund)| (hash.clone(), refund.id.clone(), refund.status))
        .collect();
    if found.is_empty() {
        return OperationResult::invalid("refund_id: there is no such refund");
    }
    found.retain(|(_, _, status)| status.may_become(RefundStatus::Cancelled));
    let cancelled = found.pop().and_then(|(hash, id, _)| {
        Some((hash, ledger.move_refund(&id, RefundStatus::Cancelled).ok()?))
    });
    let Some((hash, refund)) = cancelled else {
        return OperationResult::invalid("refund_id: only an open refund can be cancelled");
    };
    let mut response = ledger.by_hash(&hash).map(payment_response).unwrap_or_default();
    response["refund"] = refund_json(&refund);
    response["operation"] = json!("cancel");
    OperationResult::executed(Response::json(200, &response))
}

fn is_more_than_is_left(payment: &PaymentRecord, amount: &str) -> bool {
    let refunds = payment.refunds.iter().filter(|known| known.status != RefundStatus::Cancelled);
    let amounts = refunds.map(|known| known.amount.as_str()).chain([amount]);
    decimal::exceeds(amounts, &payment.amount_total)
}

/// `{"payment": …, "status": "SUCCESS"}` with the extras of the method.
fn payment_response(payment: &PaymentRecord) -> Value {
    let mut response = json!({"payment": payment_json(payment), "status": "SUCCESS"});
    if let Some(code) = &payment.means.qr_code_value {
        // The interface writes `pix.qr_code_value`, apparently a member of the
        // response, but services put it inside `payment`. We send both.
        response["pix"] = json!({"qr_code_value": code});
    }
    if let Some(url) = &payment.means.redirect_url {
        response["redirect_url"] = json!(url);
    }
    response
}

pub(crate) fn payment_json(payment: &PaymentRecord) -> Value {
    let began = |status: PaymentStatus| {
        payment.history.iter().find(|(known, _)| *known == status).map(|(_, seconds)| *seconds)
    };
    let opened = began(PaymentStatus::Open).unwrap_or(0);
    let changed = payment.history.last().map_or(opened, |(_, seconds)| *seconds);
    let refunds: Vec<Value> = payment.refunds.iter().map(refund_json).collect();
    let mut json = json!({
        "hash": payment.hash,
        "merchant_payment_code": payment.merchant_payment_code,
        "order_number": payment.order_number,
        "country": payment.country,
        "payment_type_code": payment.payment_type_code,
        "status": payment.status.code(),
        "status_date": date_time(changed),
        "open_date": date_time(opened),
        "confirm_date": began(PaymentStatus::Confirmed).map(date_time),
        "amount_br": payment.amount_total,
        "amount_ext": payment.amount_total,
        "currency_ext": payment.currency_code,
        "due_date": date(opened + DAYS_UNTIL_DUE * 86_400),
        "customer": {
            "name": payment.payer.name,
            "email": payment.payer.email,
            "document": payment.payer.document,
        },
        "refunds": refunds,
    });
    if let Some(code) = &payment.means.qr_code_value {
        json["pix"] = json!({"qr_code_value": code});
    }
    for (name, value) in &payment.means.members {
        json[name] = json!(value);
    }
    if payment.means.is_card {
        let is_authorized = payment.status == PaymentStatus::Pending;
        json["capture_available"] = json!(payment.means.awaits_capture && is_authorized);
    }
    json
}

pub(crate) fn refund_json(refund: &RefundRecord) -> Value {
    json!({
        "id": refund.id,
        "merchant_refund_code": refund.merchant_refund_code,
        "status": refund.status.code(),
        "request_date": date_time(refund.requested),
        "amount_ext": refund.amount,
        "description": refund.description,
    })
}
