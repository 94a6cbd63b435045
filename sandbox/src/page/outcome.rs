//! The outcome that a client reports: the core's own reading of the response that
//! the request got.

use std::sync::Arc;

use payments_core::inside::AnyRequest;
use payments_core::operation::Operation;
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Client, Config};
use serde_json::{Map, Value, json};

use crate::http::parameters::parameter;
use crate::http::response::Response;
use crate::service::request_log::RequestRecord;

/// The outcome, or `success`. `None` while the request is served, and if a
/// client with the default options does not send such a request.
pub(super) fn outcome(record: &RequestRecord) -> Option<String> {
    record.duration_ms?;
    let operation = record.operation.filter(|it| *it != Operation::Send)?;
    let request = AnyRequest::from_json(operation, &input(record)?, &[]).ok()??;
    let recorded = RecordedResponse {
        response: record.response.clone(),
        is_whole: !record.is_response_broken,
    };
    let config = Config::new("http://127.0.0.1")
        .integration_key("not sent")
        .transport(Arc::new(recorded))
        .payout_query(true)
        .query_retries(0);
    let client = Client::new(config).ok()?;
    Some(match client.execute(&request, &client.context()) {
        Ok(_) => "success".to_owned(),
        Err(error) => error.outcome().to_string(),
    })
}

/// The request's members as JSON, without the integration key, which a client adds
/// by itself.
fn input(record: &RequestRecord) -> Option<Vec<u8>> {
    let mut members: Map<String, Value> = match &record.query {
        Some(query) if record.body.is_empty() => ["hash", "merchant_payment_code"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), json!(parameter(query, name)?))))
            .collect(),
        _ => serde_json::from_slice(&record.body).ok()?,
    };
    members.remove("integration_key");
    if let Some(Value::Object(payment)) = members.get_mut("payment") {
        payment.remove("integration_key");
    }
    serde_json::to_vec(&members).ok()
}

/// A transport that gives the response that the client of a request got.
struct RecordedResponse {
    response: Option<Response>,
    is_whole: bool,
}

impl Transport for RecordedResponse {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        let broken = || TransportFailure::new(FailureKind::Broken, "the connection broke");
        let Response { status, headers, body } = self.response.clone().ok_or_else(broken)?;
        let received = Received::new(status, headers, body);
        Ok(if self.is_whole { received } else { received.with_body_failure(broken()) })
    }
}
