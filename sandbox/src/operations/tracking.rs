//! Registers tracking codes.

use payments_core::json::{Json, Members};
use serde_json::{Value, json};

use super::{OperationResult, text};
use crate::http::response::Response;
use crate::service::ledger::{Ledger, TrackingRecord};

/// Serves `POST /ws/tracking`: registers all of the codes or none.
pub(crate) fn register(ledger: &mut Ledger, body: &Members) -> OperationResult {
    let required = |name| text(body, name).unwrap_or_default();
    let codes = body.get("tracking_code").and_then(Json::as_array).unwrap_or_default();
    let records: Vec<TrackingRecord> = codes
        .iter()
        .filter_map(code)
        .map(|code| TrackingRecord {
            tracking_code: code.to_owned(),
            order_number: required("order_number"),
            customer_email: required("email"),
        })
        .collect();
    let result: Vec<Value> = records.iter().map(tracking_json).collect();
    ledger.add_trackings(records);
    OperationResult::executed(Response::json(200, &json!({"status": "SUCCESS", "result": result})))
}

/// The code in an element, which is a string or an object.
fn code(element: &Json) -> Option<&str> {
    element.as_str().or_else(|| element.get("tracking_code")?.as_str())
}

/// An entry of `result`, as the interface defines it.
pub(crate) fn tracking_json(tracking: &TrackingRecord) -> Value {
    json!({
        "customer_email": tracking.customer_email,
        "tracking_code": tracking.tracking_code,
        "order_number": tracking.order_number,
        "status": "CREATED",
    })
}
