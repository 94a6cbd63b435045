//! Registering tracking codes.

use serde_json::{Value, json};

use super::Done;
use crate::answer::Answer;
use crate::body::Members;
use crate::ledger::{Ledger, TrackingRecord};

/// `POST /ws/tracking`: all of the codes, or none.
pub(crate) fn register(ledger: &mut Ledger, body: &[u8]) -> Done {
    let Some(body) = Members::parse(body) else {
        return Done::invalid("the body is not a JSON object");
    };
    let (Some(order_number), Some(customer_email)) =
        (body.text("order_number"), body.text("email"))
    else {
        return Done::invalid("order_number and email: texts are required");
    };
    let codes = body.array("tracking_code").filter(|codes| !codes.is_empty());
    let Some(codes) = codes else {
        return Done::invalid("tracking_code: an array of one or more elements is required");
    };
    let mut records = Vec::with_capacity(codes.len());
    for (index, element) in codes.iter().enumerate() {
        let plain = serde_json::from_str(element.get()).ok();
        let code =
            plain.or_else(|| Members::parse(element.get().as_bytes())?.text("tracking_code"));
        let Some(tracking_code) = code else {
            return Done::invalid(&format!("tracking_code[{index}]: neither a text nor an object"));
        };
        records.push(TrackingRecord {
            tracking_code,
            order_number: order_number.clone(),
            customer_email: customer_email.clone(),
        });
    }
    let result: Vec<Value> = records.iter().map(tracking_json).collect();
    ledger.trackings.extend(records);
    Done::executed(Answer::json(200, &json!({"status": "SUCCESS", "result": result})))
}

/// An entry of `result`, with the members of the interface.
pub(crate) fn tracking_json(tracking: &TrackingRecord) -> Value {
    json!({
        "customer_email": tracking.customer_email,
        "tracking_code": tracking.tracking_code,
        "order_number": tracking.order_number,
        "status": "CREATED",
    })
}
