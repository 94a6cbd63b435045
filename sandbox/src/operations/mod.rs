//! What each operation does to the ledger, and its response.
//!
//! Everything the interface leaves open here (codes, envelopes, members of
//! responses) follows what live services are seen to do; the README lists it.

pub(crate) mod payments;
pub(crate) mod payouts;
pub(crate) mod tracking;

use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use serde_json::json;

use crate::response::Response;

/// The code of refusals for which no code is known: a request that does not
/// have the interface's shape.
pub(crate) const INVALID_REQUEST: &str = "SANDBOX-INVALID";
/// The integration key is not the merchant's.
pub(crate) const INVALID_INTEGRATION_KEY: &str = "BP-SA-2";

/// What an operation came to.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) response: Response,
    /// Why it was refused; `None` when it took effect.
    pub(crate) refused: Option<String>,
}

impl Done {
    pub(crate) fn executed(response: Response) -> Self {
        Self { response, refused: None }
    }

    /// A refusal as payments, refunds, queries and trackings give it: HTTP
    /// 200 with `status: "ERROR"`.
    pub(crate) fn refused(code: &str, message: &str) -> Self {
        let body = json!({"status": "ERROR", "status_code": code, "status_message": message});
        Self { response: Response::json(200, &body), refused: Some(format!("{code}: {message}")) }
    }

    pub(crate) fn invalid(message: &str) -> Self {
        Self::refused(INVALID_REQUEST, message)
    }

    /// For an operation of the core's table that the sandbox does not have.
    pub(crate) fn unsupported(operation: Operation) -> Self {
        let error = format!("the sandbox does not have the operation {operation}");
        Self { response: Response::json(501, &json!({ "error": error })), refused: Some(error) }
    }
}

/// A text of a body that was checked.
fn text(members: &Members, name: &str) -> Option<String> {
    members.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// The digits of a number of a body that was checked.
fn digits(members: &Members, name: &str) -> Option<String> {
    members.get(name).and_then(Json::as_number_text).map(str::to_owned)
}
