//! `query_payment`: `GET /ws/query`.

use super::reference::Asked;
use super::typed::json_request;
use super::{Draft, DraftBody, PaymentResponse, Request, Response, text_member};
use crate::model::error::Error;
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};
use crate::model::operation::{EXTRA, Operation};
use crate::model::rules::Rules;

/// A request for the status of a payment. It moves no money, so it is safe to
/// retry. Use it to resolve an unknown outcome.
///
/// Interface, "Endpoints": `GET {base_url}/ws/query`.
///
/// ```
/// use payments_core::QueryPayment;
///
/// let request = QueryPayment::by_merchant_payment_code("order-7");
/// ```
#[derive(Clone)]
pub struct QueryPayment {
    members: Members,
}

impl QueryPayment {
    /// Queries the payment with this hash.
    pub fn by_hash(hash: &str) -> Self {
        Self { members: Members::from([("hash", hash)]) }
    }

    /// Queries the payment with this reference of the merchant.
    ///
    /// Seen, not stated in the interface: try it before you depend on it.
    pub fn by_merchant_payment_code(code: &str) -> Self {
        Self { members: Members::from([("merchant_payment_code", code)]) }
    }

    fn reference(&self) -> Option<&str> {
        text_member(&self.members, "merchant_payment_code")
            .or_else(|| text_member(&self.members, "hash"))
    }
}

json_request! {
    /// Give exactly one of `hash` and `merchant_payment_code`. The members of
    /// an object `extra` become query parameters too; they must be texts,
    /// numbers or booleans.
    QueryPayment, &["hash", "merchant_payment_code"]
}

impl Request for QueryPayment {
    type Response = PaymentResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        let operation = Operation::QueryPayment;
        let draft = Draft::of_members(operation, &self.members, self.reference(), rules)?;
        let DraftBody::Members(members) = draft.body else {
            return Ok(draft);
        };
        let query = members.into_iter().map(query_parameter).collect::<Result<_, _>>();
        let query = query.map_err(|error| error.with_operation(operation, self.reference()))?;
        Ok(Draft { query, body: DraftBody::Empty, ..draft })
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<PaymentResponse, Error> {
        let text = |name| text_member(&self.members, name);
        let asked = Asked::payment(text("hash"), text("merchant_payment_code"));
        PaymentResponse::read(Operation::QueryPayment, response, rules, &asked)
    }
}

fn query_parameter((name, value): (String, Json)) -> Result<(String, String), Error> {
    match value {
        Json::String(text) | Json::Number(text) => Ok((name, text)),
        Json::Bool(value) => Ok((name, value.to_string())),
        // All known members are texts, so this one comes from `extra`.
        other => Err(Error::validation(
            Path::Root.member(EXTRA).member(&name).to_string(),
            "wrong_type",
            format!(
                "a query parameter must be a string, a number or a boolean, not {}",
                other.kind_name()
            ),
        )),
    }
}
