//! `refund_payment`: `POST /ws/refund`.

use std::fmt;

use super::payment::status_of;
use super::read::{BodyTypes, hash_of, read_tree};
use super::reference::Asked;
use super::response::{amounts_as_text, response_accessors};
use super::typed::json_request;
use super::{Draft, PaymentStatus, RefundStatus, Request, Response, text_member};
use crate::model::amount::Amount;
use crate::model::error::Error;
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};
use crate::model::operation::{EXTRA, Operation};
use crate::model::rules::Rules;

/// The name of the hash member in the tables and in every language.
const HASH: &str = "hash";

/// A request to refund a payment, in whole or in part. A partial refund is seen,
/// not stated in the interface: check the response of your first one.
///
/// Interface, "Endpoints": `POST {base_url}/ws/refund`. Not stated in the
/// interface: members other than the payment hash. The hash member is called
/// `hash` unless configured otherwise.
///
/// ```
/// use payments_core::RefundPayment;
///
/// let request = RefundPayment::new("5a4f…").amount("10.00".parse()?).description("returned");
/// # Ok::<(), payments_core::amount::AmountError>(())
/// ```
#[derive(Clone)]
pub struct RefundPayment {
    members: Members,
}

impl RefundPayment {
    /// A refund of the payment with this hash.
    pub fn new(hash: &str) -> Self {
        Self { members: Members::from([(HASH, hash)]) }
    }

    fn reference(&self, hash_member: &str) -> Option<&str> {
        text_member(&self.members, HASH).or_else(|| text_member(&self.members, hash_member))
    }
}

/// Moves the hash to the front, under its name on the wire.
///
/// # Errors
/// `validation` if `extra` has a member of that name.
pub(super) fn place_hash(members: &mut Members, hash_member: &str) -> Result<(), Error> {
    let hash = members.remove(HASH);
    if members.contains(hash_member) {
        let message = "collides with the payment hash, which has this name on the wire; remove it";
        let path = Path::Root.member(EXTRA).member(hash_member).to_string();
        return Err(Error::validation(path, "member_collides", message));
    }
    if let Some(hash) = hash {
        members.insert_first(hash_member, hash);
    }
    Ok(())
}

json_request! {
    /// The hash is in `hash` or in the member that the configuration names, and
    /// is written first.
    RefundPayment, &["hash"],
    /// Sets the member `operation`; public clients send `request`.
    operation: &str,
    /// The amount to refund (seen, not stated in the interface). Without it
    /// the service decides.
    amount: Amount,
    /// The reason of the refund.
    description: &str,
    /// The merchant's own reference for the refund.
    merchant_refund_code: &str,
}

impl Request for RefundPayment {
    type Response = RefundResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        let operation = Operation::RefundPayment;
        let on_the_wire = rules.refund_hash_member.as_str();
        let reference = self.reference(on_the_wire);
        if on_the_wire == HASH || !self.members.contains(on_the_wire) {
            return Draft::of_members(operation, &self.members, reference, rules);
        }
        if self.members.contains(HASH) || self.members.first_duplicate() == Some(on_the_wire) {
            return Err(Error::validation(
                HASH,
                "more_than_one",
                "the payment hash is set twice, as `hash` and under its configured name; remove \
                 one",
            )
            .with_operation(operation, reference));
        }
        // The tables know the member as `hash`.
        let mut members = self.members.clone();
        if let Some(hash) = members.remove(on_the_wire) {
            members.insert_first(HASH, hash);
        }
        Draft::of_members(operation, &members, reference, rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<RefundResponse, Error> {
        let asked = Asked::payment(self.reference(&rules.refund_hash_member), None);
        RefundResponse::read(response, rules, &asked)
    }
}

/// The response to `refund_payment`.
///
/// Not stated in the interface; we expect the objects `refund` and `payment`
/// and keep everything.
#[derive(Clone)]
pub struct RefundResponse {
    raw: Response,
    json: Json,
}

response_accessors!(RefundResponse, Self::hash, Self::refund_id);

impl RefundResponse {
    fn read(mut raw: Response, rules: &Rules, asked: &Asked<'_>) -> Result<Self, Error> {
        let shape = BodyTypes {
            objects: &["/refund", "/payment"],
            texts: &["/status", "/hash", "/refund/status", "/payment/status", "/payment/hash"],
            texts_or_numbers: &["/refund/id"],
        };
        let json = read_tree(Operation::RefundPayment, &mut raw, rules, asked, &shape)?;
        Ok(Self { raw, json })
    }

    /// The service's id of the refund. The service may send it as a text or as
    /// a number.
    pub fn refund_id(&self) -> Option<&str> {
        self.json.pointer("/refund/id").and_then(Json::as_text_or_number)
    }

    /// The status of the refund.
    pub fn refund_status(&self) -> Option<RefundStatus> {
        let code = self.json.pointer("/refund/status").and_then(Json::as_str);
        code.map(RefundStatus::from_code)
    }

    /// The status of the refunded payment.
    pub fn payment_status(&self) -> Option<PaymentStatus> {
        status_of(&self.json)
    }

    /// The hash of the refunded payment.
    pub fn hash(&self) -> Option<&str> {
        hash_of(&self.json)
    }

    /// The response for other languages: `refund_id`, `refund_status`,
    /// `payment_status`, `hash`, and the whole body as `response`, with amounts
    /// as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("refund_id", Json::from(self.refund_id())),
            ("refund_status", Json::from(self.refund_status().as_ref().map(RefundStatus::as_str))),
            (
                "payment_status",
                Json::from(self.payment_status().as_ref().map(PaymentStatus::as_str)),
            ),
            ("hash", Json::from(self.hash())),
            ("response", amounts_as_text(&self.json)),
        ]))
    }
}

/// Shows the statuses only.
impl fmt::Debug for RefundResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefundResponse")
            .field("refund_status", &self.refund_status())
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}
