//! The effect of each operation on the ledger, and its response.
//!
//! Where the interface leaves something open (codes, envelopes, members of
//! responses), this follows what live services have been seen to do; the README
//! lists it.

mod decimal;
pub(crate) mod findings;
mod means;
pub(crate) mod payments;
pub(crate) mod payouts;
mod pix;
pub(crate) mod tracking;

use payments_core::amount::exceeded_places;
use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use serde_json::json;

use crate::config::SandboxConfig;
use crate::http::response::Response;

/// The code for a request that does not match the interface, for which no code
/// is known.
pub(crate) const INVALID_REQUEST: &str = "SANDBOX-INVALID";
/// The integration key is not the merchant's.
pub(crate) const INVALID_INTEGRATION_KEY: &str = "BP-SA-2";

/// The result of an operation.
#[derive(Debug)]
pub(crate) struct OperationResult {
    pub(crate) response: Response,
    /// Why it was refused; `None` if it took effect.
    pub(crate) refused: Option<String>,
}

impl OperationResult {
    pub(crate) fn executed(response: Response) -> Self {
        Self { response, refused: None }
    }

    /// A refusal in the form of payments, refunds, queries, and trackings: HTTP
    /// 200 with `status: "ERROR"`.
    pub(crate) fn refused(code: &str, message: &str) -> Self {
        let body = json!({"status": "ERROR", "status_code": code, "status_message": message});
        Self { response: Response::json(200, &body), refused: Some(format!("{code}: {message}")) }
    }

    pub(crate) fn invalid(message: &str) -> Self {
        Self::refused(INVALID_REQUEST, message)
    }

    /// Refuses an operation of the core's table that the sandbox does not
    /// implement.
    pub(crate) fn unsupported(operation: Operation) -> Self {
        let error = format!("the sandbox does not have the operation {operation}");
        Self { response: Response::json(501, &json!({ "error": error })), refused: Some(error) }
    }
}

/// Why the amount is refused, if it has digits that its currency does not have.
fn excess_digits(config: &SandboxConfig, amount: &str, currency: &str) -> Option<String> {
    let places = exceeded_places(amount, currency).filter(|_| !config.accept_any_digits)?;
    Some(format!("amount: {currency} has {places} decimal places"))
}

/// A string member of a validated body.
fn text(members: &Members, name: &str) -> Option<String> {
    members.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// The digits of a number member of a validated body.
fn digits(members: &Members, name: &str) -> Option<String> {
    members.get(name).and_then(Json::as_number_text).map(str::to_owned)
}
